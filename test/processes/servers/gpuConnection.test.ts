import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { sshArguments } from "../../../src/core/servers/connect/sshSession.ts";
import type { GpuFrame } from "../../../src/core/servers/gpu/gpuStream.ts";
import type { GpuProblem } from "../../../src/core/servers/gpu/gpuWatchState.ts";
import { GpuConnection } from "../../../src/processes/servers/gpuConnection.ts";

/** A stand-in for `ssh` runs the script in a real shell of this machine, with a stand-in for `nvidia-smi`. */
describe("Watching the GPUs of a server over SSH", function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), "gpu watch "));
  const program = join(folder, "ssh");
  const pidFile = join(folder, "pid");
  const argsFile = join(folder, "args");
  const path = process.env["PATH"] ?? "";
  let connection: GpuConnection | undefined;

  before(function () {
    if (process.platform === "win32") this.skip();
    process.env["PATH"] = `${folder}${delimiter}${path}`;
  });

  afterEach(() => {
    connection?.stop();
    connection = undefined;
  });

  after(() => {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true });
  });

  function write(name: string, script: string): void {
    writeFileSync(join(folder, name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, name), 0o700);
  }

  /** The last argument is the remote command, as with `ssh`. */
  const standIn = `printf '%s\\n' "$@" > "${argsFile}"\nfor last; do :; done\nPATH="${folder}:$PATH" exec /bin/sh -c "$last"`;
  const row = "0, 42, 1024, 2048, 50, 100.5, NVIDIA L4";
  const reporting = `case "$*" in *" -l "*) ;; *) echo "${row}"; exit 0 ;; esac
echo $$ > "${pidFile}"\nwhile :; do echo "${row}"; sleep 0.2 & wait $!; done`;

  function watch(patienceMs = 30_000): { readonly frames: GpuFrame[]; readonly ended: Promise<GpuProblem> } {
    const frames: GpuFrame[] = [];
    const ended = new Promise<GpuProblem>((resolve) => {
      connection = new GpuConnection({
        program,
        args: sshArguments({ target: { host: "203.0.113.7", user: "root", port: 22 } }),
        ...{ intervalSeconds: 2, patienceMs, mode: "stream" },
        onFrame: (frame) => frames.push(frame),
        onEnd: (problem = "ended") => resolve(problem),
      });
    });
    return { frames, ended };
  }

  function isAlive(pid: number): boolean {
    try {
      process.kill(pid, 0);
      return true;
    } catch {
      return false;
    }
  }

  it("reports values until it is stopped, and leaves no process on the server", async () => {
    write("ssh", `echo "Welcome to the lab"\n${standIn}`);
    write("nvidia-smi", reporting);
    const { frames } = watch();
    while (frames.length < 2) await delay(20);
    assert.equal(frames[1]?.samples[0]?.utilizationPercent, 42);
    assert.deepEqual(readFileSync(argsFile, "utf8").trim().split("\n").slice(-3), [
      "--",
      "203.0.113.7",
      "exec /bin/sh -s",
    ]);
    const pid = Number(readFileSync(pidFile, "utf8"));
    assert.equal(isAlive(pid), true);
    connection?.stop();
    while (isAlive(pid)) await delay(20);
    const count = frames.length;
    await delay(300);
    assert.equal(frames.length, count);
  });

  it("reports a few frames per second for a server that sends values without a pause", async () => {
    rmSync(pidFile, { force: true });
    const rows = "0, 42, 1024, 2048, 50, 100.5, NVIDIA L4\\n".repeat(2_000);
    write("ssh", standIn);
    write(
      "nvidia-smi",
      `case "$*" in *" -l "*) ;; *) echo "${row}"; exit 0 ;; esac\necho $$ > "${pidFile}"\nwhile :; do printf '${rows}'; done`,
    );
    const { frames } = watch();
    while (frames.length < 3) await delay(5);
    const before = frames.length;
    const since = performance.now();
    await delay(1_000);
    const mostReports = (performance.now() - since) / 100 + 2;
    assert.ok(frames.length - before <= mostReports, `${frames.length - before} reports`);
    const pid = Number(readFileSync(pidFile, "utf8"));
    connection?.stop();
    while (isAlive(pid)) await delay(20);
  });

  it("shows the instances of a split GPU, and leaves no process on the server", async () => {
    rmSync(pidFile, { force: true });
    write("ssh", standIn);
    const values = `echo "0, [N/A], 24, 40960, 31, 52.1, NVIDIA A100"`;
    write(
      "nvidia-smi",
      `case "$*" in
*-l*) ${values}; while :; do sleep 0.2 & wait $!; done ;;
-L) echo "GPU 0: NVIDIA A100 (UUID: GPU-1)"; echo "  MIG 3g.20gb     Device  0: (UUID: MIG-1)" ;;
*query*) ${values} ;;
*) echo $$ > "${pidFile}"; echo "|  0    1   0   0  |     11MiB / 20096MiB | 42      0 |" ;;
esac`,
    );
    const { frames } = watch();
    while (frames.at(-1)?.samples[0]?.instances === undefined) await delay(20);
    assert.equal(frames[0]?.samples[0]?.memoryUsedMiB, 24);
    assert.deepEqual(frames.at(-1)?.samples[0]?.instances, [
      { device: 0, profile: "3g.20gb", memoryUsedMiB: 11, memoryTotalMiB: 20_096 },
    ]);
    connection?.stop();
    // While it runs, it rewrites the file within two seconds.
    do {
      rmSync(pidFile, { force: true });
      await delay(2_500);
    } while (existsSync(pidFile));
  });

  it("counts the requests of a model server with a key, which is in no argument", async () => {
    const key = "ig-0123456789abcdef";
    write("ssh", standIn);
    write("llama-server", "sleep 300 & wait");
    const server = spawn(join(folder, "llama-server"), ["-m", "x.gguf", "--port", "18080"], {
      ...{ env: { ...process.env, LLAMA_API_KEY: key }, stdio: "ignore" },
    });
    write("nvidia-smi", `case "$*" in *apps*) echo "GPU-1, ${server.pid}, 11, x" ;; *) ${reporting} ;; esac`);
    write(
      "curl",
      `echo "$@" >>"${argsFile}.curl"; IFS= read -r a
case "$a $*" in 'header = "Authorization: Bearer ${key}" '*:18080/slots) echo '"id_task": 7' ;; esac`,
    );
    const { frames } = watch();
    while (!frames.some(({ requests }) => requests !== undefined)) await delay(20);
    const sum = execFileSync("cksum", { input: '"id_task": 7\n' }).toString().trim();
    assert.equal(frames.find(({ requests }) => requests !== undefined)?.requests, sum);
    assert.doesNotMatch(readFileSync(`${argsFile}.curl`, "utf8"), new RegExp(key));
    connection?.stop();
    server.kill();
  });

  it("uses AMD's tools if the NVIDIA driver finds no device", async () => {
    write("ssh", standIn);
    write("nvidia-smi", `echo "No devices were found"; exit 6`);
    write(
      "amd-smi",
      `case "$1" in
static) echo '[{"gpu": 0, "asic": {"market_name": "AMD Instinct MI300X"}}]' ;;
*) echo '[{"gpu": 0, "usage": {"gfx_activity": {"value": 5, "unit": "%"}}}]' ;;
esac`,
    );
    const { frames } = watch();
    while (frames.length === 0) await delay(20);
    assert.equal(frames[0]?.samples[0]?.name, "AMD Instinct MI300X");
    assert.equal(frames[0].samples[0].utilizationPercent, 5);
    connection?.stop();
    // If amd-smi doesn't run, rocm-smi is used.
    write("amd-smi", `echo "ModuleNotFoundError: No module named 'amdsmi'"; exit 1`);
    write("rocm-smi", `echo '{"card0": {"GPU use (%)": "37", "Card Series": "AMD Instinct MI210"}}'`);
    const rocm = watch();
    while (rocm.frames.length === 0) await delay(20);
    assert.equal(rocm.frames[0]?.samples[0]?.utilizationPercent, 37);
    connection?.stop();
    write("rocm-smi", `echo "ERROR:root:Driver not initialized (amdgpu not found in modules)"`);
    assert.equal(await watch().ended, "driver");
    for (const name of ["amd-smi", "rocm-smi"]) rmSync(join(folder, name));
  });

  it("reports that a server has none of the tools", async function () {
    const folders = [...path.split(delimiter), "/usr/local/bin", "/usr/bin", "/usr/lib/wsl/lib"];
    if (folders.some((each) => existsSync(join(each, "nvidia-smi")) || existsSync(join(each, "rocm-smi"))))
      this.skip();
    write("ssh", standIn);
    rmSync(join(folder, "nvidia-smi"), { force: true });
    assert.equal(await watch().ended, "noTool");
  });

  it("ends when the tool has, although the profile has started another shell and waits for it", async () => {
    write("ssh", `${standIn.replace("exec /bin/sh", "/bin/sh")}\nexec cat`);
    write("nvidia-smi", `echo "Failed to initialize NVML: Driver/library version mismatch"\nexit 18`);
    assert.equal(await watch(3_000).ended, "mismatch");
  });

  it("explains why the driver doesn't work", async () => {
    write("ssh", standIn);
    write("nvidia-smi", `echo "Failed to initialize NVML: Driver/library version mismatch"\nexit 18`);
    assert.equal(await watch().ended, "mismatch");
  });

  it("explains why ssh couldn't sign in, or that it isn't installed", async () => {
    write("ssh", `echo "root@203.0.113.7: Permission denied (publickey)." >&2\nexit 255`);
    assert.equal(await watch().ended, "denied");
    rmSync(program);
    assert.equal(await watch().ended, "noSsh");
  });

  it("gives up on a tool that never responds, and ends it", async () => {
    rmSync(pidFile, { force: true });
    write("ssh", standIn);
    write("nvidia-smi", `echo $$ > "${pidFile}"\nwhile :; do sleep 0.2 & wait $!; done`);
    const { ended } = watch(2_000);
    assert.equal(await ended, "silent");
    if (!existsSync(pidFile)) return;
    const pid = Number(readFileSync(pidFile, "utf8"));
    while (pid > 0 && isAlive(pid)) await delay(20);
  });
});
