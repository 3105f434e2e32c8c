import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
import { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import { useText } from "../../../src/core/servers/gpu/serverUse.ts";
import type { UseHistory, UsePoint } from "../../../src/core/servers/gpu/serverUse.ts";
import type { ServerAnnotation } from "../../../src/core/servers/marks/serverAnnotation.ts";
import type { Server, ServerStatus } from "../../../src/core/servers/server.ts";
import type { RowChange, ServerSection } from "../../../src/core/servers/tree/rows.ts";
import type * as Module from "../../../src/vscode/servers/gpuWatches.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";
import { SshLab } from "../../support/sshLab.ts";
import { createSection, createServer } from "../../support/serverSections.ts";

/** A stand-in for `ssh` notes that it was started, and which script it got. */
describe("The servers whose GPUs are watched", function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), "gpu watches "));
  /** One folder and file per test: a process of the previous test may still be ending, or about to read its program. */
  let programs = "";
  let startsFile = "";
  let count = 0;
  const path = process.env["PATH"] ?? "";
  /** Reports one GPU until its input is closed. On a busy machine, it may still be ending when it is asked to end at once. */
  const measuring = (): string =>
    `trap "" TERM; echo "IG1 begin"; echo "0, 42, 1024, 2048, 50, 100.5, NVIDIA L4"; cat >/dev/null; echo end >> "${startsFile}"`;
  let GpuWatches: typeof Module.GpuWatches;
  const watches: Module.GpuWatches[] = [];

  before(async function () {
    if (process.platform === "win32") this.skip();
    installFakeVscode();
    ({ GpuWatches } = await import("../../../src/vscode/servers/gpuWatches.ts"));
  });
  beforeEach(() => {
    programs = join(folder, `programs ${++count}`);
    mkdirSync(programs);
    process.env["PATH"] = `${programs}${delimiter}${path}`;
    startsFile = join(folder, `starts ${count}`);
    writeFileSync(startsFile, "");
    fakeWindow.shown.length = 0;
    fakeWindow.settings.clear();
    ssh(measuring());
  });
  afterEach(() => {
    for (const each of watches.splice(0)) each.dispose();
    fakeWindow.press = () => undefined;
  });
  after(() => {
    process.env["PATH"] = path;
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });

  /** The steps that `ssh` performs after it has noted the number of seconds between two values. */
  function ssh(script: string): void {
    const note = `while read -r line; do case "$line" in n=*) echo "$line" >> "${startsFile}"; break ;; esac; done`;
    const next = join(programs, "next");
    writeFileSync(next, `#!/bin/sh\n${note}\n${script}\n`);
    chmodSync(next, 0o700);
    // The file is replaced, because a shell may still be reading the previous one.
    renameSync(next, join(programs, "ssh"));
  }

  /** The first line about the seconds of each process that was started. */
  const starts = (): readonly string[] => readFileSync(startsFile, "utf8").split("\n").filter(Boolean);

  /** What all windows share. */
  class History implements UseHistory {
    readonly points = new Map<string, UsePoint[]>();

    note(_profile: string, server: string, point: UsePoint): Promise<void> {
      this.points.set(server, [...(this.points.get(server) ?? []), point]);
      return Promise.resolve();
    }

    read(_profile: string, server: string, after: number): Promise<readonly UsePoint[]> {
      return Promise.resolve((this.points.get(server) ?? []).filter(({ at }) => at > after));
    }
  }

  /** Servers in a profile that is visible, which the user can mark. */
  class Lab {
    readonly history = new History();
    readonly rows = new ServerTreeRows(() => 0);
    readonly watches: Module.GpuWatches;
    readonly redrawn: RowChange[] = [];
    servers: readonly Server[];
    /** Whether the list couldn't be refreshed. */
    isStale = false;
    /** Whether the list comes from an earlier session. */
    isRestored = false;
    /** Whether a job or a transfer runs on all servers. */
    isWorking = false;
    #marks = new Map<string, ServerAnnotation>();

    constructor(count: number, history?: History) {
      if (history !== undefined) this.history = history;
      this.servers = Array.from({ length: count }, (_, index) =>
        createServer(`s${index}`, { address: { value: `203.0.113.${index + 1}`, source: "ip" } }),
      );
      this.rows.update(this.sections, plainArrangement);
      const sections = (): readonly ServerSection[] => this.sections;
      this.watches = new GpuWatches(
        {
          ...{ seen: new Set(["Lab"]), rows: this.rows, history: this.history },
          lists: {
            get sections() {
              return sections();
            },
          },
          records: { refresh: () => undefined },
          context: { storageUri: { fsPath: folder } as never },
          originOf: () => "https://gateway.example",
          isWorking: () => this.isWorking,
        },
        (change) => this.redrawn.push(change),
      );
      watches.push(this.watches);
    }

    get sections(): readonly ServerSection[] {
      const error = this.isStale ? { error: { reason: "unreachable" as const, message: "Offline." } } : {};
      return [
        createSection(
          this.servers,
          { ...error, ...(this.isRestored ? { isRestored: true as const } : {}) },
          { marks: this.#marks },
        ),
      ];
    }

    /** As in an earlier session. */
    mark(key: string): void {
      this.#marks.set(key, { isWatched: true });
      this.watches.sync();
    }

    /** As the user does it. */
    watch(...keys: readonly string[]): void {
      for (const key of keys) this.#marks.set(key, { isWatched: true });
      this.watches.sync();
      for (const key of keys) this.watches.attend({ profileName: "Lab", key });
    }

    unwatch(key: string): void {
      this.#marks.delete(key);
      this.watches.sync();
    }

    /** A new list shows the server in this state. */
    list(key: string, status: ServerStatus): void {
      this.servers = this.servers.map((server) => (server.key === key ? { ...server, status } : server));
      this.watches.sync();
    }
  }

  const notes = async (...expected: readonly string[]): Promise<void> =>
    eventually(() =>
      assert.deepEqual(
        starts().map((note) => note.split(";")[0]),
        expected,
      ),
    );

  async function measured({ watches }: Lab, key: string): Promise<void> {
    await eventually(() => assert.equal(watches.stateOf("Lab", key)?.samples[0]?.utilizationPercent, 42));
  }

  const once = `echo "IG1 begin"; echo "IG1 tick"; echo "0, 42, 1024, 2048, 50, 100.5, NVIDIA L4"; echo "IG1 tock"; echo "IG1 end 0"`;
  const refused = `echo "ssh: connect to host 203.0.113.1 port 22: Connection refused" >&2; exit 255`;
  const denied = `echo "Permission denied (publickey)." >&2; exit 255`;

  it("are measured at once if they are at most eight, and the others in turn", async () => {
    const lab = new Lab(10);
    const keys = lab.servers.map(({ key }) => key);
    const connected = (): number => starts().filter((note) => note.startsWith("n=5")).length;
    lab.watch(...keys);
    await Promise.all(keys.slice(0, 8).map((key) => measured(lab, key)));
    assert.equal(connected(), 8);
    assert.equal(lab.watches.stateOf("Lab", "s9")?.measuredAt, undefined);
    ssh(once);
    await measured(lab, "s8");
    // One that is no longer watched makes room.
    ssh(measuring());
    lab.unwatch("s0");
    await eventually(() => assert.equal(lab.watches.stateOf("Lab", "s0"), undefined));
    await measured(lab, "s9");
    assert.deepEqual(fakeWindow.shown, []);
  });

  it("are redrawn only if their row looks different, because menus of the rows below would lose them", async () => {
    const frame = (use: number, degrees: number): string =>
      `echo "IG1 tick"; echo "0, ${use}, 1024, 2048, ${degrees}, 100.5, NVIDIA L4"; echo "IG1 tock"`;
    const next = (step: number): string => `until [ -e "${startsFile} ${step}" ]; do sleep 0.05; done`;
    ssh(
      `echo "IG1 begin"; ${frame(42, 50)}; ${next(1)}; ${frame(42, 60)}; ${next(2)}; ${frame(80, 60)}; cat >/dev/null`,
    );
    const lab = new Lab(1);
    lab.watch("s0");
    await measured(lab, "s0");
    const [row] = lab.rows.serverRows;
    assert.ok(row !== undefined);
    lab.watches.decorate({}, row);
    const [gpu] = lab.watches.rowsOf(row);
    for (const [step, expected] of [[gpu], [row]].entries()) {
      lab.redrawn.length = 0;
      writeFileSync(`${startsFile} ${step + 1}`, "");
      await eventually(() => assert.ok(lab.redrawn.length > 0));
      assert.deepEqual(lab.redrawn[0], expected);
    }
  });

  it("are redrawn alone when the user starts or stops watching them, because menus of other rows would lose them", () => {
    const lab = new Lab(2);
    const row = lab.rows.find("Lab", "s1");
    lab.mark("s1");
    lab.unwatch("s1");
    assert.deepEqual(lab.redrawn, [[row], [row]]);
  });

  it("are measured only while they are visible", async () => {
    const lab = new Lab(2);
    lab.watch("s0");
    await measured(lab, "s0");
    assert.equal(lab.watches.useOf("Lab", "s0").kind, "busy");
    assert.equal(lab.watches.useOf("Lab", "s1").kind, "unknown");
    fakeWindow.settings.set("servers.gpuProbeInterval", 0);
    lab.watches.setSeen(new Set(["Other"]));
    await notes("n=5", "end");
    lab.watch("s1");
    lab.watches.setSeen(new Set(["Lab"]));
    await measured(lab, "s1");
    await notes("n=5", "end", "n=5", "n=5");
    lab.watches.dispose();
    await notes("n=5", "end", "n=5", "n=5", "end", "end");
  });

  it("are measured now and then for a moment while they aren't visible, one after another", async () => {
    ssh(once);
    fakeWindow.settings.set("servers.gpuProbeInterval", 0.01);
    const lab = new Lab(2);
    const { watches } = lab;
    watches.setSeen(new Set());
    lab.watch("s0", "s1");
    await measured(lab, "s0");
    assert.equal(watches.stateOf("Lab", "s1")?.measuredAt, undefined);
    await measured(lab, "s1");
    assert.equal(watches.stateOf("Lab", "s0")?.problem, undefined);
    assert.equal(watches.useOf("Lab", "s0").kind, "busy");
    ssh(denied);
    await eventually(() => assert.equal(watches.stateOf("Lab", "s0")?.problem, "denied"));
    await eventually(() => assert.equal(watches.stateOf("Lab", "s1")?.problem, "denied"));
    const count = starts().length;
    await delay(6_000);
    assert.equal(starts().length, count);
    assert.deepEqual(fakeWindow.shown, []);
  });

  it("are measured by one of several windows while they aren't visible", async () => {
    ssh(once);
    const one = new Lab(1);
    const other = new Lab(1, one.history);
    for (const { watches } of [one, other]) watches.setSeen(new Set());
    one.watch("s0");
    await measured(one, "s0");
    other.watch("s0");
    await eventually(() => assert.equal(other.watches.useOf("Lab", "s0").kind, "busy"));
    await delay(6_000);
    assert.deepEqual([starts().length, other.watches.stateOf("Lab", "s0")?.measuredAt], [1, undefined]);
  });

  it("continue after a restart, without a message if they can't be measured", async () => {
    const at = Date.now() - 4 * 60_000;
    const history = new History();
    await history.note("Lab", "s0", {
      ...{ at, since: at - 5 * 3_600_000, kind: "idle", percent: 0, memoryPercent: 1 },
      ...{ requests: undefined, hasProcesses: false },
    });
    ssh(denied);
    const lab = new Lab(1, history);
    // Until the list has been refreshed, the address may belong to another machine.
    lab.isRestored = true;
    lab.mark("s0");
    await delay(6_000);
    assert.deepEqual([starts().length, lab.watches.useOf("Lab", "s0").kind], [0, "unknown"]);
    lab.isRestored = false;
    lab.watches.sync();
    await eventually(() => assert.equal(lab.watches.stateOf("Lab", "s0")?.problem, "denied"));
    assert.equal(lab.watches.useOf("Lab", "s0").kind, "idle");
    assert.equal(lab.watches.pointsOf("Lab", "s0").length, 1);
    assert.deepEqual([...lab.watches.idleServers], [['["Lab","s0"]', "idle"]]);
    assert.deepEqual(fakeWindow.shown, []);
  });

  for (const isWorking of [false, true])
    it(`are ${isWorking ? "not idle while a job or a transfer runs there" : "idle if nothing runs there"}`, async () => {
      const at = Date.now() - 60_000;
      const history = new History();
      await history.note("Lab", "s0", {
        ...{ at, since: at - 5 * 3_600_000, kind: "idle", percent: 0, memoryPercent: 1 },
        ...{ requests: undefined, hasProcesses: false },
      });
      ssh(measuring().replace("42, 1024", "0, 4"));
      const lab = new Lab(1, history);
      lab.isWorking = isWorking;
      lab.watch("s0");
      await eventually(() => assert.ok((lab.watches.stateOf("Lab", "s0")?.measuredAt ?? 0) > at));
      assert.equal(lab.watches.useOf("Lab", "s0").kind, isWorking ? "busy" : "idle");
    });

  it("are running without SSH while the list shows that they run, and only then", async () => {
    ssh(refused);
    const now = Date.now();
    const minutesAgo = (minutes: number): number => now - minutes * 60_000;
    const history = new History();
    await history.note("Lab", "s0", {
      ...{ at: minutesAgo(4), since: minutesAgo(6.5), kind: "unreachable", percent: undefined },
      ...{ memoryPercent: undefined, requests: undefined, hasProcesses: false },
    });
    const lab = new Lab(1, history);
    lab.mark("s0");
    await eventually(() => assert.equal(lab.watches.stateOf("Lab", "s0")?.problem, "unreachable"));
    const use = lab.watches.useOf("Lab", "s0");
    assert.equal(useText(use, now), "running, no SSH for 6 min");
    lab.isStale = true;
    lab.watches.sync();
    assert.equal(lab.watches.useOf("Lab", "s0").kind, "unknown");
    lab.isStale = false;
    lab.list("s0", "stopped");
    assert.equal(lab.watches.useOf("Lab", "s0").kind, "unknown");
    // A stopped server isn't connected to, and one that was started begins with nothing.
    const count = starts().length;
    await delay(6_000);
    assert.equal(starts().length, count);
    ssh(measuring());
    lab.list("s0", "running");
    await measured(lab, "s0");
    assert.equal(lab.watches.useOf("Lab", "s0").kind, "busy");
  });

  it("are connected again after the connection failed, without a message", async () => {
    ssh(refused);
    const lab = new Lab(1);
    lab.watch("s0");
    await eventually(() => assert.equal(lab.watches.stateOf("Lab", "s0")?.problem, "unreachable"));
    ssh(measuring());
    await measured(lab, "s0");
    assert.equal(lab.watches.stateOf("Lab", "s0")?.problem, undefined);
    await notes("n=5", "n=5");
    assert.deepEqual(fakeWindow.shown, []);
  });

  it("are connected again at the user's request after a problem", async () => {
    const lab = new Lab(1);
    ssh(`echo "Host key verification failed." >&2; exit 255`);
    fakeWindow.press = ({ buttons }) => {
      ssh(measuring());
      return buttons.find((button) => button === "Try Again");
    };
    lab.watch("s0");
    await measured(lab, "s0");
    assert.equal(fakeWindow.shown.length, 1);
  });

  it("are measured once the user has accepted a changed key, which is explained until then", async function () {
    const server = await SshLab.openHere(this);
    try {
      server.playHost("203.0.113.1");
      const values = "0, 42, 1024, 2048, 50, 100.5, NVIDIA L4";
      server.standIn("nvidia-smi", `case "$*" in *query-gpu*) echo "${values}" ;; esac`);
      server.makeKey("host");
      await server.stop();
      await server.start();
      const lab = new Lab(1);
      const problem = (): string | undefined => lab.watches.stateOf("Lab", "s0")?.problem;
      lab.watch("s0");
      await eventually(() => assert.equal(problem(), "changedKey"));
      await eventually(() => assert.match(fakeWindow.shown[0]?.message ?? "", /has a new SSH key/));
      let isExplained = true;
      const watching = setInterval(() => (isExplained &&= problem() === "changedKey"), 20);
      await delay(16_000);
      clearInterval(watching);
      assert.ok(isExplained);
      server.trustHost();
      await measured(lab, "s0");
      assert.equal(problem(), undefined);
      assert.equal(fakeWindow.shown.length, 1);
    } finally {
      await server.close();
    }
  });
});
