import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { McpSession } from "../../../src/core/agentTools/mcpSession.ts";
import type { AgentToolResult } from "../../../src/core/agentTools/runTool.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";

class Session {
  readonly sent: unknown[] = [];
  readonly calls: { name: string; input: unknown; client: string; isStopped: boolean }[] = [];
  readonly settle: ((outcome: AgentToolResult) => void)[] = [];
  readonly mcp = new McpSession({
    version: "1.2.3",
    write: (line) => {
      assert.doesNotMatch(line, /\n/);
      this.sent.push(JSON.parse(line));
    },
    call: (name, input, client) => {
      const call = { name, input, client, isStopped: false };
      this.calls.push(call);
      return {
        outcome: new Promise((resolve) => this.settle.push(resolve)),
        stop: () => (call.isStopped = true),
      };
    },
  });

  /** Everything that was sent in reply. */
  async receive(message: unknown): Promise<readonly unknown[]> {
    const before = this.sent.length;
    this.mcp.receive(typeof message === "string" ? message : JSON.stringify(message));
    await nextTurn();
    return this.sent.slice(before);
  }

  async code(message: unknown): Promise<unknown> {
    const [reply] = await this.receive(message);
    assert.ok(isRecord(reply) && isRecord(reply["error"]), JSON.stringify(reply));
    return reply["error"]["code"];
  }
}

const request = (method: string, params?: unknown, id: unknown = 1): unknown => ({
  jsonrpc: "2.0",
  id,
  method,
  ...(params === undefined ? {} : { params }),
});
const callOf = (name: string, id: unknown = 1): unknown =>
  request("tools/call", { name, arguments: { server: "a" } }, id);

describe("A session of the Model Context Protocol", () => {
  it("agrees on the client's version, or offers its latest", async () => {
    const session = new Session();
    for (const [wanted, agreed] of [
      ["2024-11-05", "2024-11-05"],
      ["2025-11-25", "2025-11-25"],
      ["1999-01-01", "2025-11-25"],
      [undefined, "2025-11-25"],
    ]) {
      const [reply] = await session.receive(request("initialize", { protocolVersion: wanted }));
      assert.ok(isRecord(reply) && isRecord(reply["result"]));
      assert.equal(reply["result"]["protocolVersion"], agreed);
      assert.deepEqual(reply["result"]["capabilities"], { tools: {} });
    }
  });

  it("responds to malformed messages with errors and continues", async () => {
    const session = new Session();
    assert.equal(await session.code("{"), -32700);
    assert.equal(await session.code("\u0000\ufffd"), -32700);
    assert.equal(await session.code("17"), -32600);
    assert.equal(await session.code("[]"), -32600);
    assert.equal(await session.code({ id: 1, method: "ping" }), -32600);
    assert.equal(await session.code({ jsonrpc: "2.0", id: 1 }), -32600);
    assert.equal(await session.code(request("ping", {}, null)), -32600);
    assert.equal(await session.code(request("ping", {}, { a: 1 })), -32600);
    assert.equal(await session.code(request("resources/list")), -32601);
    assert.equal(await session.code(request("tools/list", { cursor: "2" })), -32602);
    assert.equal(await session.code(request("tools/call", { name: "rm" })), -32602);
    assert.equal(await session.code(request("tools/call", { name: "constructor" })), -32602);
    assert.equal(await session.code(request("tools/call", { name: 5 })), -32602);
    session.mcp.refuseLine("xxx", "xxx");
    assert.deepEqual(await session.receive(request("ping", undefined, "x")), [
      { jsonrpc: "2.0", id: "x", result: {} },
    ]);
    assert.deepEqual(session.calls, []);
  });

  it("refuses a message that is too long under its own ID, so that the client doesn't wait", () => {
    const session = new Session();
    const rest = '"method":"tools/call","params":{"name":"get_server","arguments":{"server":"xx';
    const inside = '"jsonrpc":"2.0","id":"inside"';
    for (const [start, end, id] of [
      [`{"jsonrpc":"2.0","id":7,${rest}`, `x","id":8}}}`, 7],
      [`{"jsonrpc":"2.0","method":"tools/call","id":6,"params":{"name":"xx`, `x"}}`, 6],
      [`{ "id": "a b", "jsonrpc": "2.0", ${rest}`, 'x"}}}', "a b"],
      [`{${rest}`, 'x"}},"jsonrpc":"2.0","id":9}', 9],
      [`{${rest}`, 'x"}}, "id": "c", "jsonrpc": "2.0"}\r', "c"],
      [`{${rest}`, `x","id":8}}}`, null],
      [`{${rest}`, `x${JSON.stringify(`,${inside}}`)}}}}`, null],
      [`[{"jsonrpc":"2.0","id":7,${rest}`, 'x"}}}]', null],
    ] as const) {
      session.mcp.refuseLine(start, end);
      const sent: unknown = session.sent.at(-1);
      const error = { code: -32600, message: "The message is too long." };
      assert.deepEqual(sent, { jsonrpc: "2.0", id, error }, start + end);
    }
  });

  it("doesn't respond to notifications, replies and empty lines", async () => {
    const session = new Session();
    for (const message of [
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", method: "tools/call", params: { name: "get_server" } },
      { jsonrpc: "2.0", id: 1, result: {} },
      { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: {} } },
      " \r",
      [{ jsonrpc: "2.0", method: "notifications/initialized" }],
    ])
      assert.deepEqual(await session.receive(message), []);
  });

  it("responds to a batch with one message", async () => {
    const session = new Session();
    const [reply, ...others] = await session.receive([
      request("ping", {}, "a"),
      { jsonrpc: "2.0", method: "notifications/initialized" },
      17,
    ]);
    assert.deepEqual(others, []);
    assert.ok(Array.isArray(reply));
    assert.deepEqual(reply[0], { jsonrpc: "2.0", id: "a", result: {} });
    assert.equal(reply.length, 2);
  });

  it("passes calls on with the client's name, and their outcomes back in any order", async () => {
    const session = new Session();
    await session.receive(request("initialize", { clientInfo: { name: "An\u202eagent", version: "1" } }));
    await session.receive(callOf("get_server", "first"));
    await session.receive(callOf("list_models", 2));
    assert.deepEqual(
      session.calls.map(({ name, client }) => [name, client]),
      [
        ["get_server", "Anagent"],
        ["list_models", "Anagent"],
      ],
    );
    session.settle[1]?.({ text: "{}", isError: false });
    session.settle[0]?.({ text: "No.", isError: true });
    await session.mcp.idle();
    assert.deepEqual(session.sent.slice(1), [
      { jsonrpc: "2.0", id: 2, result: { content: [{ type: "text", text: "{}" }], isError: false } },
      { jsonrpc: "2.0", id: "first", result: { content: [{ type: "text", text: "No." }], isError: true } },
    ]);
  });

  it("stops a call that the client cancels, and sends nothing for it", async () => {
    const session = new Session();
    await session.receive(callOf("get_server", 7));
    await session.receive({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } });
    assert.equal(session.calls[0]?.isStopped, true);
    session.settle[0]?.({ text: "late", isError: false });
    await session.mcp.idle();
    assert.deepEqual(session.sent, []);
    await session.receive(callOf("get_server", 7));
    assert.equal(session.calls.length, 2);
  });

  it("refuses a second call with the same ID, and more calls than it can track", async () => {
    const session = new Session();
    await session.receive(callOf("get_server", 0));
    assert.equal(await session.code(callOf("get_server", 0)), -32600);
    for (let id = 1; id < 32; id++) await session.receive(callOf("get_server", id));
    assert.equal(await session.code(callOf("get_server", 99)), -32000);
    session.mcp.close();
    assert.ok(session.calls.every(({ isStopped }) => isStopped));
  });
});
