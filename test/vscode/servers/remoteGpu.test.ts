import assert from "node:assert/strict";
import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { remoteGpuCommand } from "../../../src/vscode/shell/commandIds.ts";
import type * as Module from "../../../src/vscode/servers/remoteGpu.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";
import type { ShownStatus } from "../../support/fakeVscode.ts";
import { SshLab } from "../../support/sshLab.ts";

describe("The GPU of a Remote-SSH window's machine", function () {
  this.timeout(60_000);
  let lab: SshLab;
  let RemoteGpuStatusBar: typeof Module.RemoteGpuStatusBar;
  let bar: Module.RemoteGpuStatusBar | undefined;
  const configFile = (): string => join(lab.clientFolder, "config");
  const rows = (...lines: readonly string[]): string => lines.map((line) => `echo "${line}"`).join("\n");

  before(async function () {
    lab = await SshLab.openHere(this);
    const { port } = lab.target;
    appendFileSync(configFile(), `Host gpu_box\n  HostName 127.0.0.1\n  Port ${String(port)}\n`);
    installFakeVscode();
    ({ RemoteGpuStatusBar } = await import("../../../src/vscode/servers/remoteGpu.ts"));
    fakeWindow.settings.clear();
    fakeWindow.settings.set("configFile", configFile());
  });

  afterEach(() => {
    bar?.dispose();
    bar = undefined;
    fakeWindow.authorities.length = 0;
    fakeWindow.statuses.length = 0;
    fakeWindow.isFocused = true;
    fakeWindow.pick = () => undefined;
    lab.allowUser();
  });

  after(async () => {
    fakeWindow.settings.clear();
    await lab?.close();
  });

  function open(...authorities: readonly string[]): ShownStatus {
    fakeWindow.authorities.push(...authorities);
    bar = new RemoteGpuStatusBar({ fsPath: join(lab.home, "..", "storage") } as never);
    return fakeWindow.statuses[0] ?? assert.fail();
  }

  const shows = (item: ShownStatus, text: string): Promise<void> =>
    eventually(() => assert.deepEqual([item.isVisible, item.text], [true, `$(circuit-board) ${text}`]));

  it("is shown with its memory, through the user's own configuration, and nothing is left running there", async () => {
    lab.standIn("nvidia-smi", rows("0, 71, 62464, 81920, 50, 312.5, NVIDIA H100"));
    const item = open("ssh-remote+gpu_box");
    assert.equal(item.isVisible, false);
    await shows(item, "GPU 71% · 61/80 GB");
    assert.match(
      item.tooltip.value,
      /^gpu_box\n\nGPU 0 · NVIDIA H100 · 71% · 61\/80 GB · 50 °C · 313 W\n\n\S+ \w+ free on the disk\n\nas of /,
    );
    assert.equal(item.command, remoteGpuCommand);
    await eventually(() => assert.deepEqual([lab.processes(), lab.sessionProcesses()], [[], []]));
  });

  it("is summed up if there are several, with lost ones, and comes from a host in hexadecimal as well", async () => {
    const gpus = [0, 1, 3].map((index) => `${index}, 50, 40960, 81920, 50, 300, NVIDIA H100`);
    lab.standIn("nvidia-smi", rows(...gpus));
    const host = JSON.stringify({ hostName: "gpu_box", user: lab.user });
    const item = open(`ssh-remote+${Buffer.from(host).toString("hex")}`);
    await shows(item, "GPUs 50% · 120/240 GB · 1 lost");
  });

  it("isn't measured while the window doesn't have the focus", async () => {
    lab.standIn("nvidia-smi", rows("0, 7, 1024, 81920, 50, 312.5, NVIDIA H100"));
    fakeWindow.isFocused = false;
    const item = open("ssh-remote+gpu_box");
    await delay(6_000);
    assert.equal(item.isVisible, false);
    fakeWindow.isFocused = true;
    await shows(item, "GPU 7% · 1/80 GB");
  });

  it("is what is missing otherwise, and a refused key is tried again only at the user's request", async () => {
    const empty = open();
    await shows(empty, "GPU unavailable");
    assert.match(empty.tooltip.value, /Open a folder or file on the remote machine/);
    assert.equal(empty.command, "workbench.action.files.openFolder");
    bar?.dispose();
    fakeWindow.statuses.length = 0;

    lab.standIn("nvidia-smi", rows("0, 7, 1024, 81920, 50, 312.5, NVIDIA H100"));
    lab.makeKey("user");
    const item = open("ssh-remote+gpu_box");
    await shows(item, "GPU unavailable");
    assert.match(item.tooltip.value, /refused the SSH sign-in/);
    lab.allowUser();
    await delay(6_000);
    await shows(item, "GPU unavailable");
    fakeWindow.pick = (items) => items.filter(({ label }) => label.includes("Measure Again"));
    await fakeWindow.commands.get(remoteGpuCommand)?.();
    await shows(item, "GPU 7% · 1/80 GB");
  });

  it("isn't mentioned on a machine without one, unless it is a server from the list", async () => {
    lab.standIn("nvidia-smi", 'echo "No devices were found"; exit 6');
    const item = open("ssh-remote+gpu_box");
    await eventually(() =>
      assert.equal(lab.sessionProcesses().length > 0 || item.tooltip.value !== "", true),
    );
    await delay(3_000);
    assert.equal(item.isVisible, false);
    bar?.dispose();
    fakeWindow.statuses.length = 0;
    const hosts = join(lab.home, "..", "storage", "ssh");
    mkdirSync(hosts, { recursive: true });
    writeFileSync(join(hosts, "servers.config"), "Host gpu_box\n");
    const listed = open();
    await shows(listed, "GPU unavailable");
    assert.match(listed.tooltip.value, /didn't find any GPUs/);
  });
});
