import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type * as vscode from "vscode";
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
import type { RunningThings } from "../../../src/core/servers/actions/runningThings.ts";
import type { RowChange } from "../../../src/core/servers/tree/rows.ts";
import { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import type * as Module from "../../../src/vscode/servers/jobs/serverJobs.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";
import { createSection, createServer } from "../../support/serverSections.ts";

const id = "0123456789abcdef";
const started = Math.floor(Date.now() / 1_000) - 60;
const key = "hf_AbCdEfGhIjKlMnOpQrStUvWxYz12345678";

/** A stand-in for `ssh` prints the only job of a server. */
describe("The jobs of a server", function () {
  this.timeout(30_000);
  const folder = mkdtempSync(join(tmpdir(), "server jobs "));
  const path = process.env["PATH"] ?? "";
  const server = createServer("trainer", {
    name: { value: "trainer", source: "name" },
    address: { value: "203.0.113.1", source: "ip" },
    record: { ssh_port: 22 },
  });
  const row = { server, key: server.key, profileName: "Lab" };
  const rows = new ServerTreeRows(() => 0);
  /** What all windows of a machine share. */
  const stored = new Map<string, unknown>();
  const claims = new Set<string>();
  const windows: Module.ServerJobs[] = [];
  const runningThings: RunningThings[] = [];
  const redrawn: RowChange[] = [];
  let ServerJobs: typeof Module.ServerJobs;

  before(async function () {
    if (process.platform === "win32") this.skip();
    installFakeVscode();
    ({ ServerJobs } = await import("../../../src/vscode/servers/jobs/serverJobs.ts"));
    process.env["PATH"] = `${folder}${delimiter}${path}`;
    rows.update([createSection([server])], plainArrangement);
  });
  beforeEach(() => {
    stored.clear();
    claims.clear();
    runningThings.length = 0;
    redrawn.length = 0;
    fakeWindow.shown.length = 0;
    printJob("- - 1 -.pid");
  });
  afterEach(() => {
    for (const each of windows.splice(0)) each.dispose();
  });
  after(() => {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true, force: true });
  });

  function printJob(facts: string, ...more: readonly string[]): void {
    print(
      `IG1 server ${String(started + 60)} 1000`,
      `IG1 job ${id} ${String(started)} ${facts}`,
      `IG1 command HF_TOKEN=${key} python train.py`,
      ...more,
    );
  }

  function print(...lines: readonly string[]): void {
    const program = join(folder, "ssh");
    const text = ["IG1 begin", ...lines, "IG1 end 0"].join("\n");
    writeFileSync(program, `#!/bin/sh\ncat <<'END'\n${text}\nEND\n`);
    chmodSync(program, 0o700);
  }

  /** `ssh` signs in nowhere. */
  function refuse(): void {
    const program = join(folder, "ssh");
    writeFileSync(
      program,
      "#!/bin/sh\necho 'lab@203.0.113.1: Permission denied (publickey).' >&2\nexit 255\n",
    );
    chmodSync(program, 0o700);
  }

  const end = (code: number): void => printJob(`${String(code)} ${String(started + 50)} 0 -.pid`);

  function openWindow(): Module.ServerJobs {
    const globalState = {
      keys: () => [...stored.keys()],
      get: (name: string): unknown => stored.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void stored.set(name, value)),
      setKeysForSync: () => undefined,
    } as unknown as vscode.Memento & { setKeysForSync(keys: readonly string[]): void };
    const jobs = new ServerJobs(
      {
        ...{
          isSeen: true,
          rows,
          ...{ runningThings, models: undefined, gpu: undefined },
          originOf: () => "https://gateway.example",
        },
        context: {
          ...{ globalState, storageUri: { scheme: "file", fsPath: folder } as vscode.Uri },
          claimNotice(text) {
            const isFree = !claims.has(text);
            claims.add(text);
            return Promise.resolve(isFree);
          },
        },
      },
      (change) => redrawn.push(change),
    );
    windows.push(jobs);
    return jobs;
  }

  const look = async (window: Module.ServerJobs): Promise<void> => void (await window.run(row, "list"));
  const notices = (): readonly string[] => fakeWindow.shown.map(({ message }) => message);

  it("are redrawn without the rest of the list, whose open menus would lose their rows", async () => {
    const window = openWindow();
    await look(window);
    const [shown] = rows.serverRows;
    assert.ok(shown !== undefined);
    const [job] = window.rowsOf(shown);
    assert.deepEqual(redrawn.splice(0), [[shown, job]]);
    end(0);
    await look(window);
    assert.deepEqual(redrawn, [[job]]);
  });

  it("say at once what is done to them, and nothing else is offered until it is done", async () => {
    const window = openWindow();
    await look(window);
    const [shown] = rows.serverRows;
    assert.ok(shown !== undefined);
    redrawn.length = 0;
    const states: unknown[] = [];
    const note = (): void => {
      const [job] = window.rowsOf(shown);
      states.push([job?.text, job?.isBusy, window.endOf(row, id), redrawn.splice(0)]);
    };
    const [job] = window.rowsOf(shown);
    const stopping = window.during([id], "stopping…", async () => {
      note();
      await look(window);
      note();
      printJob(`143 ${String(started + 50)} 0 -.pid.stopped`);
      await look(window);
      throw new Error("cut");
    });
    await assert.rejects(stopping, /cut/);
    note();
    assert.deepEqual(states, [
      ["stopping…", true, "ending", [[job]]],
      ["stopping…", true, "ending", [[]]],
      ["stopped after 50 s", false, "ended", [[job], [job]]],
    ]);
    // Another window has asked for it.
    printJob("- - 1 -.pid.stopped");
    await look(window);
    note();
    assert.deepEqual(states.at(-1), ["asked to stop, still running", false, "ending", [[job]]]);
    // Another host has the same home folder, and whether it runs there isn't known.
    printJob("- - 0 -.pid.other");
    await look(window);
    assert.equal(window.endOf(row, id), undefined);
    print("IG1 server 1000 1000");
    await look(window);
    assert.equal(window.endOf(row, id), "ended");
    assert.equal(window.endOf({ ...row, key: "other" }, id), undefined);
  });

  it("are said to be gone if a button of a notice leads to one that was removed", async () => {
    const window = openWindow();
    await look(window);
    await window.runOnRow("showLog", row, id);
    assert.deepEqual(notices(), []);
    print("IG1 server 1000 1000");
    await look(window);
    await window.runOnRow("showLog", row, id);
    assert.deepEqual(notices(), ["This job isn't known here."]);
  });

  it("aren't said to run on while their server doesn't", async () => {
    const window = openWindow();
    await look(window);
    const [shown] = rows.serverRows;
    assert.ok(shown !== undefined);
    const stopped = { ...shown, server: { ...server, status: "stopped" as const } };
    const [job] = window.rowsOf(stopped);
    assert.match(job?.text ?? "", /^running for 1 min · as of \d\d:\d\d$/);
    assert.equal(job?.isOld, true);
    assert.equal(window.rowsOf(shown)[0]?.text, "running for 1 min");
  });

  it("are reported if their server, which is to be stopped when one ends, can't be asked anymore", async () => {
    await look(openWindow());
    // A window that has just been opened looks soon.
    const window = openWindow();
    const job = window.find(id);
    assert.ok(job !== undefined);
    window.arm(job, () => Promise.resolve(assert.fail("The job hasn't ended.")));
    refuse();
    await eventually(() => assert.equal(notices().length, 1));
    assert.match(
      notices()[0] ?? "",
      /^trainer won't be stopped when train\.py ends, because its jobs can't be checked anymore\. /,
    );
  });

  it("are reported once when they end while two windows look at them", async () => {
    const [first, second] = [openWindow(), openWindow()];
    await Promise.all([look(first), look(second)]);
    end(3);
    await Promise.all([look(first), look(second)]);
    await eventually(() => assert.equal(claims.size, 1));
    await Promise.all([look(first), look(second)]);
    assert.equal(notices().length, 1);
    assert.match(notices()[0] ?? "", /^train\.py on trainer failed at .+, exit code 3, after 50 s\./);
  });

  it("are reported once over all windows when the server has restarted, and say so in their rows", async () => {
    const [first, second] = [openWindow(), openWindow()];
    await Promise.all([look(first), look(second)]);
    printJob("- - 0 -.pid.boot");
    await look(first);
    const third = openWindow();
    await Promise.all([look(first), look(second), look(third)]);
    await eventually(() => assert.equal(notices().length, 1));
    await Promise.all([look(first), look(second), look(third)]);
    assert.match(
      notices().join(),
      /^train\.py on trainer: The server restarted at \d\d:\d\d\. The job has no exit code\.$/,
    );
    const texts = windows
      .flatMap((each) => rows.servers.flatMap((shown) => each.rowsOf(shown)))
      .map(({ text }) => text);
    assert.match(texts.join(), /^(no exit code, the server restarted at \d\d:\d\d,?){3}$/);
  });

  it("are reported at the next start when they have ended while no window was open, and not again", async () => {
    const first = openWindow();
    await look(first);
    first.dispose();
    end(0);
    await look(openWindow());
    await eventually(() => assert.match(notices().join(), /^train\.py on trainer finished at/));
    await look(openWindow());
    assert.equal(notices().length, 1);
  });

  it("are reported with what the server has cost since, if it has run all the time", async () => {
    const hours = (count: number): string => String(Math.floor(Date.now() / 1_000) - count * 3_600);
    const price = { value: "24 USD per hour", source: "x" };
    for (const [startedAt, cost] of [
      [hours(9), /after 1 h\. The server has cost ≈ \$48 since\.$/],
      [hours(1), /after 1 h\.$/],
    ] as const) {
      const time = { value: new Date(Number(startedAt) * 1_000).toISOString(), source: "x" };
      const shown = { ...row, server: { ...server, price, startedAt: time } };
      const window = openWindow();
      print(
        `IG1 server ${hours(0)} 1000`,
        `IG1 job ${id} ${hours(3)} - - 1 -.pid`,
        "IG1 command python train.py",
      );
      await window.run(shown, "list");
      print(
        `IG1 server ${hours(0)} 1000`,
        `IG1 job ${id} ${hours(3)} 0 ${hours(2)} 0 -.pid`,
        "IG1 command python train.py",
      );
      await window.run(shown, "list");
      await eventually(() => assert.match(notices().at(-1) ?? "", cost));
      window.dispose();
      stored.clear();
      claims.clear();
      fakeWindow.shown.length = 0;
    }
  });

  it("are not reported on a machine when another has done it", async () => {
    const window = openWindow();
    await look(window);
    printJob(`0 ${String(started + 50)} 0 -.pid.told`);
    await look(window);
    assert.deepEqual([notices(), claims.size], [[], 0]);
  });

  it("are named before the server is stopped, with VS Code windows, and nothing else is claimed", async () => {
    const window = openWindow();
    const [ask] = runningThings;
    assert.ok(ask !== undefined);
    // The user has nothing to do with this server so far.
    assert.equal(await ask(row), undefined);
    await look(window);
    const things = async (): Promise<unknown> => {
      const report = await ask(row);
      return report !== undefined && "things" in report ? report.things : report;
    };
    printJob("- - 1 -.pid", "IG1 windows 2");
    assert.deepEqual(await things(), ["job train.py, 1 min", "2 VS Code windows"]);
    assert.equal(window.isRunning(row), true);
    const served = JSON.stringify({
      ...{
        serves: 1,
        name: "org/Qwen2.5-7B",
        runtime: "vllm",
        port: 8000,
        gpus: [],
        usedMiB: [],
        folder: "",
      },
    });
    printJob("- - 1 -.pid", `IG1 details ${served}`, "IG1 windows 1");
    assert.deepEqual(await things(), ["Qwen2.5-7B, serving", "1 VS Code window"]);
    // It waits for requests, and whether there are any is measured.
    assert.equal(window.isRunning(row), false);
    // What was started in a terminal isn't known, so that this doesn't mean that nothing runs.
    printJob(`0 ${String(started + 50)} 0 -.pid.told`, "IG1 windows 0");
    assert.equal(await things(), undefined);
  });

  it("are still known, and reported later, after another couldn't be started", async () => {
    const window = openWindow();
    await look(window);
    print("IG1 fail noSpace");
    await look(window);
    assert.equal(window.find(id)?.state, "running");
    end(0);
    await look(window);
    await eventually(() => assert.match(notices().join(), /^train\.py on trainer finished at/));
  });

  it("are stored without the secrets in their commands", async () => {
    await look(openWindow());
    const text = JSON.stringify([...stored]);
    assert.match(text, /HF_TOKEN=•+ python train\.py/);
    assert.ok(!text.includes(key));
  });

  it("aren't followed by an error after the user has canceled what was done for them", async () => {
    const { showRemoteFailure } = await import("../../../src/vscode/servers/connect/sshProblem.ts");
    const [shown] = rows.servers;
    assert.ok(shown !== undefined);
    showRemoteFailure(shown, new Error("The disk is full."));
    showRemoteFailure(shown, AbortSignal.abort().reason);
    await eventually(() => assert.deepEqual(notices(), ["The disk is full."]));
  });
});
