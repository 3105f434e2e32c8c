import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import type { Socket } from "node:net";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { EmptyResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { build } from "esbuild";
import { mcpServer } from "../../../esbuild.js";
import type { AgentToolResult } from "../../../src/core/agentTools/runTool.ts";
import { toolNames } from "../../../src/core/agentTools/toolNames.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { eventually } from "../../support/eventually.ts";
import { removeLauncher, writeLauncher } from "../../../src/processes/agentTools/launcher.ts";
import { ToolServer } from "../../../src/processes/agentTools/toolServer.ts";
import type { ToolServerContext } from "../../../src/processes/agentTools/toolServer.ts";
import { readLinkAddress } from "../../../src/processes/agentTools/link.ts";

type Call = ToolServerContext["call"];

const echo: Call = (name, input, client) =>
  Promise.resolve({ text: JSON.stringify({ name, input, client }), isError: false });

/** A promise, and the function that resolves it. */
function signalOnce(): readonly [Promise<void>, () => void] {
  let resolve = (): void => undefined;
  return [new Promise<void>((settle) => (resolve = settle)), () => resolve()];
}

describe("The MCP server", () => {
  const root = mkdtempSync(join(tmpdir(), "mcp-o'neil "));
  const script = join(root, "dist", "mcpServer.js");
  const clients: Client[] = [];
  const windows: ToolServer[] = [];
  let folder: string;
  let folders = 0;

  before(async () => {
    await build({ ...mcpServer, minify: true, outdir: join(root, "dist") });
    writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  });

  beforeEach(() => {
    folder = join(root, `folder ${folders++}`);
  });

  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.close()));
    for (const window of windows.splice(0)) window.close();
  });

  after(() => rmSync(root, { recursive: true }));

  async function openWindow(call: Call = echo): Promise<ToolServer> {
    const window = new ToolServer({ folder, call });
    windows.push(window);
    while (!existsSync(window.addressFile)) await new Promise((resolve) => setTimeout(resolve, 5));
    return window;
  }

  /** An existing client from another project, with the server started as in the copied configuration. */
  async function startClient(
    env: Readonly<Record<string, string>> = {},
    name = "test-agent",
  ): Promise<Client> {
    const {
      command,
      args,
      env: variables,
    } = writeLauncher({
      ...{ folder, script, version: "1.2.3" },
      program: process.execPath,
      platform: process.platform,
    });
    const client = new Client({ name, version: "1.0.0" });
    clients.push(client);
    await client.connect(
      new StdioClientTransport({
        command,
        args: [...args],
        env: { ...variables, ...env, PATH: "" },
        stderr: "inherit",
      }),
    );
    return client;
  }

  const callTool = async (client: Client, server: string, signal?: AbortSignal): Promise<AgentToolResult> => {
    const request = { name: "get_server", arguments: { server } };
    const result = await client.callTool(request, undefined, signal === undefined ? {} : { signal });
    const content: unknown = result["content"];
    assert.ok(Array.isArray(content) && isRecord(content[0]));
    return { text: String(content[0]["text"]), isError: result["isError"] === true };
  };

  it("describes itself and every tool to an existing client, even without VS Code", async () => {
    const client = await startClient();
    assert.deepEqual(client.getServerVersion(), {
      name: "inference-gateway",
      title: "Inference Gateway",
      version: "1.2.3",
    });
    assert.match(client.getInstructions() ?? "", /GPU servers/);
    const { tools } = await client.listTools();
    assert.deepEqual(
      tools.map(({ name }) => name),
      toolNames,
    );
    for (const { annotations } of tools) assert.equal(annotations?.readOnlyHint, true);
    await client.ping();
    const outcome = await callTool(client, "a");
    assert.equal(outcome.isError, true);
    assert.match(outcome.text, /^VS Code isn't running/);
  });

  it("passes calls on to the window, many at once and from several clients", async () => {
    await openWindow();
    const both = await Promise.all([startClient(), startClient()]);
    const outcomes = await Promise.all(
      both.flatMap((client) => Array.from({ length: 10 }, (_, index) => callTool(client, `s${index}`))),
    );
    assert.deepEqual(
      outcomes.map(({ text }) => text),
      [0, 1].flatMap(() =>
        Array.from({ length: 10 }, (_, index) =>
          JSON.stringify({ name: "get_server", input: { server: `s${index}` }, client: "test-agent" }),
        ),
      ),
    );
  });

  it("stops a call that the client cancels", async () => {
    const [aborted, abort] = signalOnce();
    await openWindow(
      (_name, _input, _client, signal) =>
        new Promise((_, reject) =>
          signal.addEventListener("abort", () => {
            abort();
            reject(signal.reason);
          }),
        ),
    );
    const client = await startClient();
    const controller = new AbortController();
    const call = callTool(client, "a", controller.signal);
    setTimeout(() => controller.abort(), 300);
    await assert.rejects(call);
    await aborted;
    await client.ping();
  });

  it("reports a tool that fails unexpectedly as failed, not as canceled", async () => {
    await openWindow(() => Promise.reject(new Error("A mistake.")));
    const client = await startClient();
    const { content, isError } = await client.callTool({ name: "list_models", arguments: {} });
    assert.equal(isError, true);
    assert.deepEqual(content, [{ type: "text", text: "The tool failed. Try again later." }]);
  });

  it("stops the calls of a client that disconnects", async () => {
    const [aborted, resolve] = signalOnce();
    const [begun, begin] = signalOnce();
    await openWindow((_name, _input, _client, signal) => {
      begin();
      return new Promise(() => signal.addEventListener("abort", () => resolve()));
    });
    const client = await startClient();
    const call = callTool(client, "a").catch(() => undefined);
    await begun;
    await client.close();
    await Promise.all([aborted, call]);
  });

  it("reports a window that closes during a call, and finds the next one", async () => {
    const [begun, begin] = signalOnce();
    const window = await openWindow(() => {
      begin();
      return new Promise(() => undefined);
    });
    const client = await startClient();
    const call = callTool(client, "a");
    await begun;
    window.close();
    assert.deepEqual(await call, {
      text: "VS Code was closed or reloaded before the tool was done. Try again.",
      isError: true,
    });
    assert.equal((await callTool(client, "a")).isError, true);
    await openWindow();
    assert.equal((await callTool(client, "a")).isError, false);
  });

  it("prefers the window that was used last, and skips windows that were killed", async () => {
    const named =
      (text: string): Call =>
      () =>
        Promise.resolve({ text, isError: false });
    const first = await openWindow(named("first"));
    await openWindow(named("second"));
    const address = { path: join(root, "gone"), token: "x" };
    writeFileSync(join(folder, "dead.link"), JSON.stringify(address));
    await new Promise((resolve) => setTimeout(resolve, 20));
    first.noteUse();
    assert.equal((await callTool(await startClient(), "a")).text, "first");
  });

  it("doesn't wait for one window after another that accepts a connection and never responds", async function () {
    // Each of them would take ten seconds.
    this.timeout(35_000);
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket));
    const path = join(mkdtempSync(join(tmpdir(), "ig-")), "s");
    silent.listen(path);
    await once(silent, "listening");
    await openWindow();
    const later = new Date(Date.now() + 60_000);
    for (let index = 0; index < 6; index++) {
      const file = join(folder, `silent-${index}.link`);
      writeFileSync(file, JSON.stringify({ path, token: "0" }));
      utimesSync(file, later, later);
    }
    const client = await startClient();
    assert.match((await callTool(client, "a")).text, /"client":"test-agent"/);
    assert.notEqual(sockets.length, 0);
    // Windows that are given up later don't end the connection to the one that responded.
    for (const socket of sockets) {
      socket.resume().end();
      if (!socket.closed) await once(socket, "close");
    }
    for (let calls = 0; calls < 3; calls++)
      assert.match((await callTool(client, "a")).text, /"client":"test-agent"/);
    silent.close();
  });

  it("removes the addresses and sockets of windows that were killed", async () => {
    mkdirSync(folder);
    const socketFolder = mkdtempSync(join(tmpdir(), "inference-gateway-"));
    const address = { path: join(socketFolder, "tools"), token: "" };
    const own = `${hostname()
      .replace(/[^\w.-]/g, "_")
      .slice(0, 60)}-`;
    const killed = spawn(process.execPath, ["-e", ""]);
    await once(killed, "exit");
    writeFileSync(join(folder, `${own}${killed.pid}-x.link`), JSON.stringify(address));
    writeFileSync(join(folder, `${own}${process.pid}-x.link`), "{}");
    writeFileSync(join(folder, `another.machine-${killed.pid}-x.link`), "{}");
    await openWindow();
    const names = readdirSync(folder);
    assert.ok(!names.includes(`${own}${killed.pid}-x.link`));
    assert.equal(names.length, 3);
    if (process.platform !== "win32") assert.ok(!existsSync(socketFolder));
  });

  it("gives nothing away to a program that has opened the socket of a window that is gone", async () => {
    const received: string[] = [];
    const thief = createServer((socket) => {
      socket.on("error", () => undefined);
      socket.setEncoding("utf8").on("data", (text: string) => {
        received.push(text);
        socket.write('{"type":"welcome","proof":"0","nonce":"n"}\n');
      });
    });
    mkdirSync(folder);
    const path =
      process.platform === "win32"
        ? `\\\\.\\pipe\\gone-${process.pid}`
        : join(mkdtempSync(join(tmpdir(), "ig-")), "s");
    thief.listen(path);
    await once(thief, "listening");
    writeFileSync(join(folder, "gone.link"), JSON.stringify({ path, token: "token-of-the-window" }));
    assert.equal((await callTool(await startClient(), "a")).isError, true);
    thief.close();
    assert.equal(received.length, 1);
    assert.deepEqual(Object.keys(JSON.parse(received[0] ?? "")), ["type", "nonce"]);
  });

  it("can be reached again after its socket was removed as an old temporary file", async function () {
    if (process.platform === "win32") this.skip();
    const window = await openWindow();
    const removed = readLinkAddress(window.addressFile)?.path ?? "";
    rmSync(dirname(removed), { recursive: true });
    assert.match((await callTool(await startClient(), "a")).text, /isn't running/);
    window.noteUse();
    await eventually(() => assert.notEqual(readLinkAddress(window.addressFile)?.path, removed));
    assert.match((await callTool(await startClient(), "a")).text, /"client":"test-agent"/);
  });

  it("accepts no call without the token", async () => {
    let isCalled = false;
    const window = await openWindow(() => {
      isCalled = true;
      return Promise.resolve({ text: "", isError: false });
    });
    const address = readLinkAddress(window.addressFile);
    assert.ok(address);
    const call = '{"type":"call","call":1,"name":"get_server"}\n';
    const hello = '{"type":"hello","nonce":"n"}\n';
    for (const greeting of ["", hello, `${hello}{"type":"proof","proof":"wrong"}\n`, "garbage\n"]) {
      const socket = connect(address.path);
      socket.on("error", () => undefined);
      const closed = once(socket, "close");
      socket.resume();
      socket.write(greeting + call);
      await closed;
    }
    assert.equal(isCalled, false);
    if (process.platform !== "win32") {
      assert.equal(statSync(window.addressFile).mode & 0o077, 0);
      assert.equal(statSync(folder).mode & 0o077, 0);
    }
  });

  it("has no secret in the files that start it, and updates them with the extension", async () => {
    const window = await openWindow();
    const token = readLinkAddress(window.addressFile)?.token ?? "";
    assert.notEqual(token, "");
    const options = { folder, script, version: "1.2.3", program: "/gone/code", platform: process.platform };
    writeLauncher({ ...options, version: "1.0.0" });
    const files = (): readonly string[] =>
      readdirSync(folder)
        .filter((name) => !name.endsWith(".link"))
        .map((name) => join(folder, name));
    const read = (): string =>
      files()
        .map((file) => readFileSync(file, "utf8"))
        .join("");
    const before = read();
    writeLauncher(options);
    assert.notEqual(read(), before);
    assert.ok(!`${before}${read()}`.includes(token));
    removeLauncher(folder);
    assert.deepEqual(files(), []);
  });

  it("refuses tools and methods that it doesn't have, whatever their names contain", async () => {
    let calls = 0;
    await openWindow(() => Promise.resolve({ text: String(++calls), isError: false }));
    const client = await startClient();
    for (const name of ["rm", "constructor", "get_server\u202e"])
      await assert.rejects(client.callTool({ name, arguments: {} }), { code: -32602 });
    await assert.rejects(client.request({ method: "resources/list" }, EmptyResultSchema), { code: -32601 });
    assert.equal(calls, 0);
  });

  it("passes on the client's name without characters that could mislead", async () => {
    await openWindow();
    const client = await startClient({}, "An\u202eagent");
    assert.match((await callTool(client, "a")).text, /"client":"Anagent"/);
  });

  /** Runs the process without a client library. Returns its messages by the time it ends, and its exit code. */
  async function runRaw(input: readonly (string | Buffer)[]) {
    const child = spawn(process.execPath, [script, "1", folder], { stdio: ["pipe", "pipe", "inherit"] });
    let output = "";
    child.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
    child.stdin.on("error", () => undefined);
    for (const piece of input) child.stdin.write(piece);
    child.stdin.end();
    const [code]: unknown[] = await once(child, "close");
    const lines = output.split("\n").filter(Boolean);
    return { code, replies: lines.map((line): unknown => JSON.parse(line)) };
  }

  it("survives malformed and split lines, and responds to the lines that follow", async () => {
    const ping = Buffer.from('{"jsonrpc":"2.0","id":"ö","method":"ping"}');
    const call = (id: number, input: string): string =>
      `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"get_server","arguments":${input}}}\n`;
    const depth = 100_000;
    const { code, replies } = await runRaw([
      `${"x".repeat(3_000_000)}\n`,
      "\n\u0000\n\r\n",
      '17\n[]\n{"id":1,"method":"ping"}\n{"jsonrpc":"2.0","id":null,"method":"ping"}\n',
      ping.subarray(0, 23),
      ping.subarray(23),
      "\n",
      call(2, `{"server":"${"x".repeat(30_000)}"}`),
      `${"[".repeat(depth)}\n`,
      call(4, `${"[".repeat(depth)}${"]".repeat(depth)}`),
      call(5, `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`),
      '{"jsonrpc":"2.0","id":3,"method":"ping"}\n',
    ]);
    assert.equal(code, 0);
    const results = replies.map((reply) => isRecord(reply) && [reply["id"], "result" in reply]);
    assert.deepEqual(
      results.toSorted((first, second) => String(first).localeCompare(String(second))),
      [
        [2, true],
        [3, true],
        [4, false],
        [5, false],
        ["ö", true],
      ],
    );
    assert.match(JSON.stringify(replies), /The input is too long\./);
  });

  it("ends when a message never ends, instead of keeping all of it in memory", async () => {
    const { code, replies } = await runRaw([
      '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
      ...Array.from({ length: 11 }, () => "x".repeat(1024 * 1024)),
    ]);
    assert.equal(code, 1);
    assert.equal(replies.length, 1);
  });

  it("finishes the calls in progress when its input ends, and ends by itself", async () => {
    await openWindow();
    const { code, replies } = await runRaw([
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_server","arguments":{"server":"a"}}}\n',
    ]);
    assert.equal(code, 0);
    assert.match(JSON.stringify(replies), /get_server/);
  });
});
