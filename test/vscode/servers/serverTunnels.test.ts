import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import type * as vscode from "vscode";
import { plainArrangement } from "../../../src/core/servers/arrange/groupServers.ts";
import type { RowChange } from "../../../src/core/servers/tree/rows.ts";
import { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import type * as Module from "../../../src/vscode/servers/connect/serverTunnels.ts";
import { eventually } from "../../support/eventually.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";
import { createSection, createServer as createGpuServer } from "../../support/serverSections.ts";

describe("Ports of servers that a window forwarded before it was reloaded", () => {
  const opened: Module.ServerTunnels[] = [];
  const programs = mkdtempSync(join(tmpdir(), "tunnels-"));
  const path = process.env["PATH"] ?? "";
  let ServerTunnels: typeof Module.ServerTunnels;

  before(async function () {
    if (process.platform === "win32") this.skip();
    installFakeVscode();
    ({ ServerTunnels } = await import("../../../src/vscode/servers/connect/serverTunnels.ts"));
  });
  // There is no SSH program, unless a test writes one.
  beforeEach(() => (process.env["PATH"] = ""));
  afterEach(() => {
    for (const tunnels of opened.splice(0)) tunnels.dispose();
    process.env["PATH"] = path;
  });
  after(() => rmSync(programs, { recursive: true, force: true, maxRetries: 5 }));

  async function freePort(): Promise<number> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }

  async function isListening(port: number): Promise<boolean> {
    const socket = connect(port, "127.0.0.1");
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  }

  /** The profile “Lab” has the server `s0`. */
  async function restore(...servers: readonly (readonly [profileName: string, key: string])[]) {
    const ports = await Promise.all(servers.map(freePort));
    let stored: unknown = servers.map(([profileName, key], index) => {
      const choice = { remote: { host: "localhost", port: 6006 }, name: "tensorboard", detail: "" };
      return { profileName, key, choice, localPort: ports[index] };
    });
    const rows = new ServerTreeRows(() => 0);
    rows.update(
      [createSection([createGpuServer("s0", { address: { value: "203.0.113.1", source: "ip" } })])],
      plainArrangement,
    );
    const redrawn: RowChange[] = [];
    const tunnels = new ServerTunnels(
      {
        rows,
        originOf: (name) => (name === "Lab" ? "https://gateway.example" : ""),
        context: {
          storageUri: { fsPath: "/nowhere" } as vscode.Uri,
          workspaceState: {
            get: () => stored,
            update: (_: string, value: unknown) => Promise.resolve((stored = value)),
          } as unknown as vscode.Memento,
        },
      },
      (change) => redrawn.push(change),
    );
    opened.push(tunnels);
    await tunnels.restore();
    return { tunnels, ports, redrawn, row: rows.find("Lab", "s0") ?? assert.fail(), stored: () => stored };
  }

  it("have an address that can be named in a sentence, whatever they do", async () => {
    const { tunnels, ports, row } = await restore(["Lab", "s0"]);
    const [port = assert.fail()] = tunnels.rowsOf(row);
    assert.equal(port.text, `connects when used · localhost:${ports[0]}`);
    assert.equal(port.address, `localhost:${ports[0]}`);
  });

  it("are left alone if their profile was removed, because no row would offer to free them", async () => {
    const { ports } = await restore(["Lab", "s0"], ["Removed", "s0"]);
    assert.deepEqual(await Promise.all(ports.map(isListening)), [true, false]);
  });

  it("are freed for good when the list no longer has their server, because no row would offer it", async () => {
    const { tunnels, ports, stored } = await restore(["Lab", "s0"], ["Lab", "terminated"]);
    tunnels.forget("Lab", new Set(["s0"]));
    assert.deepEqual(await Promise.all(ports.map(isListening)), [true, false]);
    assert.match(JSON.stringify(stored()), /"s0"/);
    assert.doesNotMatch(JSON.stringify(stored()), /terminated/);
    tunnels.forget("Lab");
    assert.equal(stored(), undefined);
  });

  it("stay while they are connected, although a list lacks their server", async () => {
    const begin = 'case "$*" in *"-O forward"*) ;; *) echo "IG1 begin"; cat >/dev/null ;; esac';
    writeFileSync(join(programs, "ssh"), `#!/bin/sh\n${begin}\n`, { mode: 0o700 });
    process.env["PATH"] = `${programs}${delimiter}${path}`;
    const { tunnels, ports, row } = await restore(["Lab", "s0"]);
    await isListening(ports[0] ?? 0);
    await eventually(() => assert.equal(tunnels.rowsOf(row)[0]?.state, "open"));
    tunnels.forget("Lab", new Set());
    assert.equal(tunnels.rowsOf(row).length, 1);
    tunnels.forget("Lab");
    assert.equal(tunnels.rowsOf(row).length, 0);
  });

  it("are connected anew by the next command if they have failed, rather than called forwarded", async () => {
    const { tunnels, ports, row } = await restore(["Lab", "s0"]);
    await isListening(ports[0] ?? 0);
    await eventually(() => assert.equal(tunnels.rowsOf(row)[0]?.state, "failed"));
    const choice = { remote: { host: "localhost", port: 6006 }, name: "", detail: "" };
    const forwarded = await tunnels.forward(row, choice, new AbortController().signal);
    assert.deepEqual(forwarded, { problem: "noSsh", errors: "" });
    assert.deepEqual(tunnels.rowsOf(row), []);
  });

  it("are redrawn when they change, but no row is redrawn for a model's tunnel, which has none", async () => {
    const { tunnels, ports, redrawn, row } = await restore(["Lab", "s0"]);
    const model = await freePort();
    const waiting = await tunnels.wait(row, { host: "127.0.0.1", port: 8000 }, model);
    assert.ok(waiting);
    await isListening(model);
    await eventually(() => assert.notEqual(waiting.state.kind, "idle"));
    waiting.stop();
    assert.deepEqual(redrawn, []);
    await isListening(ports[0] ?? 0);
    await eventually(() => assert.deepEqual(redrawn, [[row]]));
  });
});
