// OpenSSH's server and some login shells, as programs that an ordinary account can run.
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { ensureCached } from "./cached.mjs";
import { findInPath } from "./findInPath.mjs";
import { runProgram } from "./runProgram.mjs";

const needed = ["openssh-server", "libwrap0", "libnss-wrapper"];
const shells = ["tcsh", "busybox-static", "fish", "libpcre2-32-0"];

/** A folder with Debian's packages, unpacked: nothing is installed. Rejects with the reason if they can't be had. */
export async function ensureSshServer() {
  if (process.platform !== "linux") throw new Error("OpenSSH's server is only taken from Debian's packages");
  for (const name of ["apt-get", "dpkg", "ssh", "ssh-keygen"])
    if (findInPath(name) === undefined) throw new Error(`“${name}” isn't installed`);
  return ensureCached("openssh-server-debian", async (folder) => {
    for (const name of needed) await download(name, folder);
    // Tests of other shells are left out without them.
    for (const name of shells) await download(name, folder).catch(() => undefined);
    for (const file of readdirSync(folder).filter((each) => each.endsWith(".deb")))
      await run("dpkg", ["-x", join(folder, file), folder], folder);
    if (!existsSync(join(folder, "usr", "sbin", "sshd"))) throw new Error("The package has no “sshd”");
  });
}

const download = (name, folder) => run("apt-get", ["-q", "download", name], folder);

async function run(program, args, cwd) {
  const { code, output } = await runProgram(program, args, { cwd });
  if (code !== 0) throw new Error(`${program} ${args.join(" ")} failed: ${output.trim().slice(-300)}`);
}
