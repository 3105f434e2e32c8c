import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, createServer } from "node:net";
import type { AddressInfo } from "node:net";
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
  let ServerTunnels: typeof Module.ServerTunnels;

  before(async () => {
    installFakeVscode();
    ({ ServerTunnels } = await import("../../../src/vscode/servers/connect/serverTunnels.ts"));
  });
  afterEach(() => {
    for (const tunnels of opened.splice(0)) tunnels.dispose();
  });

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

  /** The profile “Lab” has the server `s0`. No server has an address. */
  async function restore(...servers: readonly (readonly [profileName: string, key: string])[]) {
    const ports = await Promise.all(servers.map(freePort));
    let stored: unknown = servers.map(([profileName, key], index) => {
      const choice = { remote: { host: "localhost", port: 6006 }, name: "tensorboard", detail: "" };
      return { profileName, key, choice, localPort: ports[index] };
    });
    const rows = new ServerTreeRows(() => 0);
    rows.update([createSection([createGpuServer("s0")])], plainArrangement);
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

  it("are connected anew by the next command if they have failed, rather than called forwarded", async () => {
    const { tunnels, ports, row } = await restore(["Lab", "s0"]);
    const path = process.env["PATH"] ?? "";
    try {
      // There is no SSH program.
      process.env["PATH"] = "";
      await isListening(ports[0] ?? 0);
      await eventually(() => assert.equal(tunnels.rowsOf(row)[0]?.state, "failed"));
      const choice = { remote: { host: "localhost", port: 6006 }, name: "", detail: "" };
      const forwarded = await tunnels.forward(row, choice, new AbortController().signal);
      assert.deepEqual(forwarded, { problem: "noSsh", errors: "" });
      assert.deepEqual(tunnels.rowsOf(row), []);
    } finally {
      process.env["PATH"] = path;
    }
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
