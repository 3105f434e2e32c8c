import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, connect } from "node:net";
import { tmpdir, userInfo } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { Context } from "mocha";
import type { SshTarget } from "../../src/core/servers/connect/sshTarget.ts";
import { runRemote } from "../../src/processes/servers/runRemote.ts";
import { ensureSshServer } from "../setup/sshServer.mjs";

/** The login shells of the lab: the first is always there. */
export const labShells = ["sh", "bash", "tcsh", "fish", "busybox"] as const;
type LabShell = (typeof labShells)[number];

/** The account "nobody", as which the server runs if the tests run as root: root's would need a user of its own. */
const nobody = 65_534;

/**
 * OpenSSH's server as an ordinary account on a port of this machine, with keys, configurations, a home folder, and
 * programs of its own. Nothing of the user's own SSH is read or written.
 */
export class SshLab {
  readonly #packages: string;
  readonly #folder: string;
  readonly #port: number;
  #server: ChildProcess | undefined;
  #shell: LabShell = "sh";
  #profile = "";
  /** The `PATH` of this process before it was changed. */
  #usualPath: string | undefined;

  /** Skips the tests, with the reason, where there can be no such server. */
  static async open(test: Context): Promise<SshLab> {
    const packages = await ensureSshServer().catch((error: unknown) => String(error));
    if (!existsSync(packages)) {
      process.stdout.write(`      Left out because there is no SSH server: ${packages}\n`);
      return test.skip();
    }
    return SshLab.openFor(packages);
  }

  /** The same for tests in this process, which finds the lab's `ssh` until the lab is closed. */
  static async openHere(test: Context): Promise<SshLab> {
    const lab = await SshLab.open(test);
    lab.#usualPath = process.env["PATH"];
    process.env["PATH"] = lab.path;
    return lab;
  }

  /** @param packages The folder with the programs of the server, from `ensureSshServer`. */
  static async openFor(packages: string): Promise<SshLab> {
    const lab = new SshLab(packages, await freePort());
    await lab.start();
    return lab;
  }

  private constructor(packages: string, port: number) {
    this.#port = port;
    this.#folder = mkdtempSync(join(tmpdir(), "ssh-lab-"));
    chmodSync(this.#folder, 0o755);
    // The account may not be allowed to read the cache.
    this.#packages = this.#file("packages");
    for (const part of ["bin", "usr/bin", "usr/sbin", "usr/lib"])
      if (existsSync(join(packages, part)))
        cpSync(join(packages, part), join(this.#packages, part), { recursive: true, verbatimSymlinks: true });
    for (const name of ["home lab", "programs", "client", "etc"]) mkdirSync(join(this.#folder, name));
    this.#give(this.home);
    this.makeKey("host");
    this.makeKey("user");
    this.trustHost();
    this.allowUser();
    writeFileSync(
      this.#file("client/config"),
      [
        `Host *\n  User ${this.user}`,
        `  IdentityFile "${this.#file("etc/user")}"\n  IdentitiesOnly yes\n  IdentityAgent none`,
        `  UserKnownHostsFile "${this.#file("client/known_hosts")}"\n  GlobalKnownHostsFile /dev/null\n`,
      ].join("\n"),
    );
    this.write("client/ssh", `exec /usr/bin/ssh -F "${this.#file("client/config")}" "$@"`);
  }

  /** The account on the server. */
  get user(): string {
    return process.getuid?.() === 0 ? "nobody" : userInfo().username;
  }

  get target(): SshTarget {
    return { host: "127.0.0.1", user: this.user, port: this.#port };
  }

  /** The home folder on the server. */
  get home(): string {
    return this.#file("home lab");
  }

  /** A folder for `PATH` in which `ssh` reads the lab's configuration only. */
  get clientFolder(): string {
    return this.#file("client");
  }

  /** A `PATH` with this folder. */
  get path(): string {
    return `${this.clientFolder}${delimiter}${process.env["PATH"] ?? ""}`;
  }

  /** The user's `ssh`. */
  get program(): string {
    return this.#file("client/ssh");
  }

  /**
   * Lets the client reach the server at this address, too, on the usual port.
   *
   * @param part What the sessions find in `LAB_HOST`, to play another machine.
   */
  playHost(address: string, part = ""): void {
    appendFileSync(
      this.#file("client/config"),
      `Host ${address}\n  HostName 127.0.0.1\n  Port ${String(this.#port)}\n  SetEnv LAB_HOST="${part}"\n`,
    );
  }

  hasShell(shell: LabShell): boolean {
    return existsSync(this.#shellPath(shell));
  }

  /** The login shell of later sessions, and what their profile runs before anything else. */
  useShell(shell: LabShell, profile = ""): void {
    this.#shell = shell;
    this.#profile = profile;
    this.#writeLogin();
  }

  /** A script that the server finds before the program of this name. */
  standIn(name: string, script: string): void {
    this.write(`programs/${name}`, script);
  }

  /** Creates a folder that belongs to the account, in its home folder. */
  makeFolder(name: string): string {
    const folder = join(this.home, name);
    mkdirSync(folder, { recursive: true });
    this.#give(folder);
    return folder;
  }

  /** A file that the account may run. */
  copy(from: string, name: string): void {
    cpSync(from, this.#file(name));
    chmodSync(this.#file(name), 0o755);
  }

  write(name: string, script: string): void {
    writeFileSync(this.#file(name), `#!/bin/sh\n${script}\n`);
    chmodSync(this.#file(name), 0o755);
  }

  /** Replaces a key pair, such as `host`. */
  makeKey(name: string): void {
    const file = this.#file(`etc/${name}`);
    for (const each of [file, `${file}.pub`]) rmSync(each, { force: true });
    execFileSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "", "-C", "lab", "-f", file]);
    if (name === "host") this.#give(file);
  }

  /** Lets the client know the server's key; without an argument, the present one. */
  trustHost(key = readFileSync(this.#file("etc/host.pub"), "utf8")): void {
    writeFileSync(this.#file("client/known_hosts"), key === "" ? "" : `[127.0.0.1]:${this.#port} ${key}`);
  }

  /** Lets the server accept the user's present key. */
  allowUser(): void {
    writeFileSync(this.#file("etc/authorized"), readFileSync(this.#file("etc/user.pub")));
  }

  async start(): Promise<void> {
    this.#writeLogin();
    const isRoot = process.getuid?.() === 0;
    const server = join(this.#packages, "usr", "sbin", "sshd");
    writeFileSync(
      this.#file("etc/sshd_config"),
      [
        `Port ${this.#port}\nListenAddress 127.0.0.1\nHostKey "${this.#file("etc/host")}"`,
        `AuthorizedKeysFile "${this.#file("etc/authorized")}"\nStrictModes no\nUsePAM no\nPidFile none`,
        `PasswordAuthentication no\nKbdInteractiveAuthentication no\nPrintMotd no\nKexAlgorithms curve25519-sha256`,
        `AcceptEnv LAB_HOST\nMaxStartups 50\nForceCommand "${this.#file("etc/login")}"\n`,
      ].join("\n"),
    );
    // The account "nobody" has no shell, except for this server.
    writeFileSync(
      this.#file("etc/passwd"),
      `${readFileSync("/etc/passwd", "utf8").replace(/^nobody:.*\n/m, "")}nobody:x:${nobody}:${nobody}::/:/bin/sh\n`,
    );
    const libraries = join(this.#packages, "usr", "lib", "x86_64-linux-gnu");
    const environment = {
      PATH: "/usr/bin:/bin",
      LD_LIBRARY_PATH: this.#libraries(),
      ...(isRoot
        ? {
            LD_PRELOAD: join(libraries, "libnss_wrapper.so"),
            NSS_WRAPPER_PASSWD: this.#file("etc/passwd"),
            NSS_WRAPPER_GROUP: "/etc/group",
          }
        : {}),
    };
    const args = [server, "-D", "-e", "-f", this.#file("etc/sshd_config")];
    const account = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    const [program = "", ...rest] = isRoot ? [...account, ...args] : args;
    const child = spawn(program, rest, { env: environment, stdio: ["ignore", "ignore", "pipe"], cwd: "/" });
    this.#server = child;
    let words = "";
    child.stderr.on("data", (data: Buffer) => (words = (words + data.toString()).slice(-2_000)));
    for (const since = Date.now(); ; await delay(20)) {
      if (await accepts(this.#port)) return;
      if (child.exitCode !== null || Date.now() - since > 10_000) throw new Error(`No SSH server: ${words}`);
    }
  }

  /** Runs steps on the server as the product does, in a process with the lab's `ssh`, and returns what they printed. */
  async run(steps: string): Promise<readonly string[]> {
    const result = await runRemote({ target: this.target }, steps, { patienceMs: 50_000 });
    assert.ok(result !== undefined && "lines" in result, JSON.stringify(result));
    return result.lines;
  }

  /** Ends the server, but not its sessions. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined || server.exitCode !== null) return;
    const ended = new Promise((resolve) => server.once("close", resolve));
    server.kill("SIGKILL");
    server.stderr?.destroy();
    await ended;
  }

  /** Sends a signal to the server's processes for the sessions: SIGKILL cuts them, SIGSTOP stalls them. */
  signalSessions(signal: NodeJS.Signals): number {
    const pids = this.sessionProcesses();
    for (const pid of pids) process.kill(pid, signal);
    return pids.length;
  }

  /** The server's processes for sessions. */
  sessionProcesses(): readonly number[] {
    const parents = new Map(listProcesses().map(({ pid, parent }) => [pid, parent]));
    const server = this.#server?.pid;
    return [...parents.keys()].filter((pid) => {
      for (let each = parents.get(pid); each !== undefined && each > 1; each = parents.get(each))
        if (each === server) return commandOf(pid).startsWith("sshd: ");
      return false;
    });
  }

  /** Everything that runs in a home folder of the account, except for the server itself. */
  processes(): readonly { readonly pid: number; readonly command: string }[] {
    return listProcesses()
      .filter(({ pid }) => environmentOf(pid).some((each) => each.startsWith(`HOME=${this.home}`)))
      .map(({ pid }) => ({ pid, command: commandOf(pid) }));
  }

  /** Ends everything and leaves nothing. */
  async close(): Promise<void> {
    if (this.#usualPath !== undefined) process.env["PATH"] = this.#usualPath;
    await this.stop();
    this.closeNow();
  }

  /** The same while this process exits. */
  closeNow(): void {
    this.#server?.kill("SIGKILL");
    for (const { pid } of this.processes()) {
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It has ended already.
      }
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #file(name: string): string {
    return join(this.#folder, name);
  }

  #libraries(): string {
    const folder = join(this.#packages, "usr", "lib");
    return readdirSync(folder)
      .filter((name) => name.endsWith("-linux-gnu"))
      .map((name) => join(folder, name))
      .join(":");
  }

  #shellPath(shell: LabShell): string {
    return shell === "sh" || shell === "bash"
      ? `/bin/${shell}`
      : join(this.#packages, shell === "fish" ? "usr/bin" : "bin", shell);
  }

  /** Every session starts in the home folder of the lab, with its programs and the chosen login shell. */
  #writeLogin(): void {
    const path = this.#shellPath(this.#shell);
    // Its file must have the name of the shell, and it needs its library.
    const library = this.#shell === "fish" ? `LD_LIBRARY_PATH='${this.#libraries()}'` : "";
    const shell = this.#file(`etc/${this.#shell}`);
    if (this.#shell === "busybox") this.write(`etc/${this.#shell}`, `exec '${path}' sh "$@"`);
    else this.write(`etc/${this.#shell}`, `${library} exec '${path}' "$@"`);
    this.write(
      "etc/login",
      `unset LD_PRELOAD LD_LIBRARY_PATH NSS_WRAPPER_PASSWD NSS_WRAPPER_GROUP
export HOME='${this.home}' SHELL='${shell}' PATH='${this.#file("programs")}:/usr/bin:/bin'
cd "$HOME"
${this.#profile}
[ -n "$SSH_ORIGINAL_COMMAND" ] || exec "$SHELL"
exec "$SHELL" -c "$SSH_ORIGINAL_COMMAND"`,
    );
  }

  #give(path: string): void {
    if (process.getuid?.() === 0) chownSync(path, nobody, nobody);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", () => end(true)).once("error", () => end(false));
  });
}

function listProcesses(): readonly { readonly pid: number; readonly parent: number }[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    const text = Number.isInteger(pid) ? read(`/proc/${pid}/stat`) : "";
    const [state, parent] = text.slice(text.lastIndexOf(") ") + 2).split(" ");
    return text === "" || state === "Z" ? [] : [{ pid, parent: Number(parent) }];
  });
}

const commandOf = (pid: number): string => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
const environmentOf = (pid: number): readonly string[] => read(`/proc/${pid}/environ`).split("\0");

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
