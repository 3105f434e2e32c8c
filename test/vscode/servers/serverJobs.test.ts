import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type * as vscode from "vscode";
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
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

  function printJob(facts: string): void {
    const lines = [
      "IG1 begin",
      `IG1 server ${String(started + 60)} 1000`,
      `IG1 job ${id} ${String(started)} ${facts}`,
      `IG1 command HF_TOKEN=${key} python train.py`,
      "IG1 end 0",
    ];
    const program = join(folder, "ssh");
    writeFileSync(program, `#!/bin/sh\ncat <<'END'\n${lines.join("\n")}\nEND\n`);
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
          ...{ runningThings: [], models: undefined, gpu: undefined },
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
      () => undefined,
    );
    windows.push(jobs);
    return jobs;
  }

  const look = async (window: Module.ServerJobs): Promise<void> => void (await window.run(row, "list"));
  const notices = (): readonly string[] => fakeWindow.shown.map(({ message }) => message);

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

  it("are not reported on a machine when another has done it", async () => {
    const window = openWindow();
    await look(window);
    printJob(`0 ${String(started + 50)} 0 -.pid.told`);
    await look(window);
    assert.deepEqual([notices(), claims.size], [[], 0]);
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
