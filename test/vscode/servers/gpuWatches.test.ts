import assert from "node:assert/strict";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
import { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import type { ServerRow } from "../../../src/core/servers/tree/rows.ts";
import type * as Module from "../../../src/vscode/servers/gpuWatches.ts";
import { eventually } from "../../support/eventually.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";
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
  /** Reports one GPU until its input is closed. */
  const measuring = (): string =>
    `echo "IG1 begin"; echo "0, 42, 1024, 2048, 50, 100.5, NVIDIA L4"; cat >/dev/null; echo end >> "${startsFile}"`;
  let GpuWatches: typeof Module.GpuWatches;
  let watches: Module.GpuWatches | undefined;

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
    watches?.dispose();
    watches = undefined;
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

  /** Watches with servers in a profile that is visible. */
  function open(count: number): { readonly watches: Module.GpuWatches; readonly rows: readonly ServerRow[] } {
    const servers = Array.from({ length: count }, (_, index) =>
      createServer(`s${index}`, { address: { value: `203.0.113.${index + 1}`, source: "ip" } }),
    );
    const opened = new GpuWatches(
      {
        seen: new Set(["Lab"]),
        lists: { find: () => undefined },
        records: { refresh: () => undefined },
        context: { storageUri: { fsPath: folder } as never },
        originOf: () => "https://gateway.example",
      },
      () => undefined,
    );
    watches = opened;
    const rows = new ServerTreeRows(() => 0);
    rows.update([createSection(servers)], plainArrangement);
    return { watches: opened, rows: rows.servers };
  }

  const notes = async (...expected: readonly string[]): Promise<void> =>
    eventually(() =>
      assert.deepEqual(
        starts().map((note) => note.split(";")[0]),
        expected,
      ),
    );

  async function measured(row: ServerRow): Promise<void> {
    await eventually(() =>
      assert.equal(watches?.stateOf("Lab", row.key)?.samples[0]?.utilizationPercent, 42),
    );
  }

  it("are at most eight, of which one that can't be measured makes room for another", async () => {
    const { watches, rows } = open(10);
    for (const row of rows.slice(0, 7)) await watches.start(row);
    for (const row of rows.slice(0, 7)) await measured(row);
    ssh(`echo "Permission denied (publickey)." >&2; exit 255`);
    const [eighth, ninth, tenth] = rows.slice(7);
    assert.ok(eighth !== undefined && ninth !== undefined && tenth !== undefined);
    await watches.start(eighth);
    await eventually(() => assert.equal(watches.stateOf("Lab", eighth.key)?.problem, "denied"));
    assert.match(fakeWindow.shown[0]?.message ?? "", /refused the SSH sign-in/);
    ssh(measuring());
    await watches.start(ninth);
    assert.deepEqual([watches.isWatched(eighth), watches.isWatched(ninth)], [false, true]);
    await watches.start(tenth);
    assert.equal(watches.isWatched(tenth), false);
    assert.match(fakeWindow.shown.at(-1)?.message ?? "", /at most 8 servers/);
    // Several servers watched at once don't exceed the limit either.
    watches.stop(ninth);
    await Promise.all([eighth, ninth, tenth].map((row) => watches.start(row)));
    assert.equal(rows.filter((row) => watches.isWatched(row)).length, 8);
  });

  it("are measured only while they are visible", async () => {
    const { watches, rows } = open(2);
    const [row, hidden] = rows;
    assert.ok(row !== undefined && hidden !== undefined);
    await watches.start(row);
    await measured(row);
    assert.equal(watches.useOf("Lab", row.key).kind, "busy");
    assert.equal(watches.useOf("Lab", hidden.key).kind, "unknown");
    watches.setSeen(new Set(["Other"]));
    await notes("n=5", "end");
    await watches.start(hidden);
    assert.ok(watches.isWatched(hidden));
    watches.setSeen(new Set(["Lab"]));
    await measured(hidden);
    await notes("n=5", "end", "n=5", "n=5");
    watches.dispose();
    await notes("n=5", "end", "n=5", "n=5", "end", "end");
  });

  it("are measured now and then for a moment while they aren't visible, one after another", async () => {
    const once = `echo "IG1 begin"; echo "IG1 tick"; echo "0, 42, 1024, 2048, 50, 100.5, NVIDIA L4"; echo "IG1 tock"; echo "IG1 end 0"`;
    ssh(once);
    fakeWindow.settings.set("servers.gpuProbeInterval", 0.01);
    const { watches, rows } = open(2);
    const [first, second] = rows;
    assert.ok(first !== undefined && second !== undefined);
    watches.setSeen(new Set());
    await watches.start(first);
    await watches.start(second);
    await measured(first);
    assert.equal(watches.stateOf("Lab", second.key)?.measuredAt, undefined);
    await measured(second);
    assert.equal(watches.stateOf("Lab", first.key)?.problem, undefined);
    assert.equal(watches.useOf("Lab", first.key).kind, "busy");
    ssh(`echo "Permission denied (publickey)." >&2; exit 255`);
    await eventually(() => assert.equal(watches.stateOf("Lab", first.key)?.problem, "denied"));
    await eventually(() => assert.equal(watches.stateOf("Lab", second.key)?.problem, "denied"));
    const count = starts().length;
    await delay(6_000);
    assert.equal(starts().length, count);
    assert.deepEqual(fakeWindow.shown, []);
  });

  it("are connected again after the connection failed, without a message", async () => {
    ssh(`echo "ssh: connect to host 203.0.113.1 port 22: Connection refused" >&2; exit 255`);
    const { watches, rows } = open(1);
    const [row] = rows;
    assert.ok(row !== undefined);
    await watches.start(row);
    await eventually(() => assert.equal(watches.stateOf("Lab", row.key)?.problem, "unreachable"));
    ssh(measuring());
    await measured(row);
    assert.equal(watches.stateOf("Lab", row.key)?.problem, undefined);
    await notes("n=5", "n=5");
    assert.deepEqual(fakeWindow.shown, []);
  });

  it("are connected again at the user's request after a problem", async () => {
    const { watches, rows } = open(1);
    const [row] = rows;
    assert.ok(row !== undefined);
    ssh(`echo "Host key verification failed." >&2; exit 255`);
    fakeWindow.press = ({ buttons }) => {
      ssh(measuring());
      return buttons.find((button) => button === "Watch Again");
    };
    await watches.start(row);
    await measured(row);
    assert.equal(fakeWindow.shown.length, 1);
  });
});
