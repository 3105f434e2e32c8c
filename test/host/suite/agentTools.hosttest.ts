import assert from "node:assert/strict";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import * as vscode from "vscode";
import { registeredName, toolNames } from "../../../src/core/agentTools/toolNames.ts";
import type { ToolName } from "../../../src/core/agentTools/toolNames.ts";
import { agentTools } from "../../../src/core/agentTools/toolTable.ts";
import { Redaction } from "../../../src/core/account/redaction.ts";
import type { SecretVault } from "../../../src/core/account/secretVault.ts";
import { newQuestion } from "../../../src/core/conversation/forkConversation.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { SqliteConversationStore } from "../../../src/storage/conversations/conversationStore.ts";
import type { Profiles } from "../../../src/vscode/account/profiles/profiles.ts";
import { conversationFile } from "../../../src/vscode/conversation/storageLocation.ts";
import { Participant } from "../../../src/vscode/agentTools/participant.ts";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";
import { startServersGateway } from "../../support/serversGateway.ts";
import type { ServersGateway } from "../../support/serversGateway.ts";
import { activateExtension } from "./support/extensionContext.ts";
import { TestAccount, silent } from "./support/testAccount.ts";

const name = "Fleet of agents";
const token = "canary-session-token-of-agents";
const secret = `sk-proj-${"aB3dE5gH7j".repeat(5)}`;

describe("The tools for agents in the extension host", () => {
  let context: vscode.ExtensionContext;
  let account: TestAccount;
  let profiles: Profiles;
  let vault: SecretVault;
  let gateway: ServersGateway;

  before(async () => {
    context = await activateExtension();
    account = new TestAccount(context);
    ({ profiles, vault } = account);
    gateway = await startServersGateway(500);
    gateway.servers[3] = { ...gateway.servers[3], user_data: "#cloud-config\npassword: canary-user-data" };
    await profiles.put({ name, gatewayUrl: gateway.url, gatewayCredential: "sessionToken" });
    await profiles.select(name);
    const profile = profiles.find(name);
    assert.ok(profile);
    await vault.store(profile, { kind: "sessionToken", token });
  });

  after(async () => {
    await account.remove(name);
    await gateway.close();
  });

  async function invoke(tool: ToolName, input: object): Promise<string> {
    const options = { toolInvocationToken: undefined, input };
    const { content } = await vscode.lm.invokeTool(registeredName(tool), options);
    return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
  }

  function parse(text: string): Readonly<Record<string, unknown>> {
    const value: unknown = JSON.parse(text);
    assert.ok(isRecord(value), text);
    return value;
  }

  it("are listed by VS Code with their descriptions and schemas", () => {
    for (const tool of toolNames) {
      const listed = vscode.lm.tools.find((candidate) => candidate.name === registeredName(tool));
      assert.equal(listed?.description, agentTools[tool].description);
      assert.ok(isRecord(listed.inputSchema));
    }
  });

  it("find servers by filters, with one request for several calls", async () => {
    const found = parse(await invoke("list_servers", { region: "us-east", text: "trainer-0000", limit: 2 }));
    assert.equal(found["matching"], 5);
    assert.equal(found["total"], 500);
    const asked = gateway.asked;
    const server = parse(await invoke("get_server", { server: "srv-3" }));
    assert.equal(server["name"], "trainer-00003");
    assert.equal(gateway.asked, asked);
    const all = await invoke("list_servers", { limit: 200 });
    assert.ok(!all.includes("canary") && !JSON.stringify(server).includes("canary"));
  });

  it("reject an input that doesn't match the schema, which VS Code doesn't check", async () => {
    await assert.rejects(invoke("list_servers", { limit: "all" }), /“limit” must be a whole number/);
    await assert.rejects(invoke("get_server", { server: "srv-501" }), /There is no server “srv-501”/);
  });

  it("explain why a service doesn't respond", async () => {
    gateway.failure = { statusCode: 503, body: { message: `Try ${token} later` } };
    const text = await invoke("check_gateway", {});
    gateway.failure = undefined;
    const { profiles: checked } = parse(text);
    assert.ok(Array.isArray(checked) && isRecord(checked[0]) && isRecord(checked[0]["gpuGateway"]));
    assert.equal(checked[0]["gpuGateway"]["isResponding"], false);
    assert.match(String(checked[0]["gpuGateway"]["problem"]), /503/);
    assert.deepEqual(checked[0]["inferenceService"], { isConfigured: false });
    assert.ok(!text.includes(token));
  });

  it("search the user's conversations, with secrets masked", async () => {
    const store = new SqliteConversationStore(conversationFile(context.globalStorageUri), {
      now: () => Date.now(),
      onProblem: assert.fail,
    });
    const now = Date.now();
    const message = newQuestion({ id: "agents-1", createdAt: now }, `The zebrafish key is ${secret}.`, []);
    store.save({
      type: "conversation",
      fields: { id: "agents", title: "About fish", createdAt: now, updatedAt: now },
    });
    store.save({ type: "message", conversationId: "agents", message });
    store.flush();
    const { results } = parse(await invoke("search_conversations", { text: "zebrafish" }));
    assert.ok(Array.isArray(results) && isRecord(results[0]), JSON.stringify(results));
    assert.equal(results[0]["title"], "About fish");
    assert.match(String(results[0]["excerpt"]), /^The zebrafish key is /);
    assert.ok(!JSON.stringify(results).includes("aB3dE5"));
    store.save({ type: "delete", id: "agents" });
    store.save({ type: "purge", id: "agents" });
    store.close();
  });

  it("are in VS Code only once, not also as tools of an MCP server", async () => {
    const named = vscode.lm.tools.filter(({ name }) => name.endsWith("get_server"));
    assert.deepEqual(
      named.map(({ name }) => name),
      ["inferenceGateway_get_server"],
    );
  });

  it("serve an existing MCP client with the configuration that the user copies", async () => {
    const copied = vscode.commands.executeCommand(commandIds.connectAgents);
    await vscode.env.clipboard.writeText("");
    while ((await vscode.env.clipboard.readText()) === "") {
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    await copied;
    const text = await vscode.env.clipboard.readText();
    assert.ok(!text.includes(token));
    const { mcpServers } = parse(text);
    assert.ok(isRecord(mcpServers) && isRecord(mcpServers["inference-gateway"]));
    const { command, args } = mcpServers["inference-gateway"];
    assert.ok(typeof command === "string" && Array.isArray(args));
    const client = new Client({ name: "host-suite", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command, args: args.map(String), env: {} }));
    try {
      const result = await client.callTool({ name: "get_server", arguments: { server: "trainer-00007" } });
      assert.equal(result["isError"], false, JSON.stringify(result));
      assert.match(JSON.stringify(result["content"]), /srv-7/);
      // Enter denies.
      const searching = client.callTool({ name: "search_conversations", arguments: { text: "fish" } });
      const enter = setInterval(
        () => void vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem"),
        100,
      );
      const search = await searching.finally(() => clearInterval(enter));
      assert.equal(search["isError"], true);
    } finally {
      await client.close();
    }
  });

  /** The responses of “@gpu” in a chat whose model calls a tool in every round, and the options of each request. */
  async function ask(
    prompt: string,
    command?: string,
  ): Promise<{
    readonly shown: string;
    readonly options: readonly vscode.LanguageModelChatRequestOptions[];
    /** The messages of the last request, as JSON. */
    readonly sent: string;
  }> {
    let sent = "";
    const options: vscode.LanguageModelChatRequestOptions[] = [];
    let shown = "";
    const model = {
      vendor: "inference-gateway",
      sendRequest: (messages: unknown, given: vscode.LanguageModelChatRequestOptions) => {
        sent = JSON.stringify(messages);
        options.push(given);
        const call = new vscode.LanguageModelToolCallPart(`c${options.length}`, "inferenceGateway_x", {});
        return Promise.resolve({ stream: [call] });
      },
    };
    const attached = { id: "file", value: "text of the attachment", range: [0, 5] };
    const request = { prompt, command, references: [attached], model };
    const stream = {
      markdown: (text: string) => (shown += text),
      progress: () => undefined,
      button: () => undefined,
    };
    const parts = { profiles, redaction: new Redaction(), log: silent };
    const participant = new Participant(parts as never, {} as never);
    const token = new vscode.CancellationTokenSource().token;
    const result = await participant.respond(request as never, { history: [] }, stream as never, token);
    assert.equal(result.errorDetails, undefined);
    return { shown, options, sent };
  }

  it("stay declared when @gpu requires a response from a model that keeps calling them", async () => {
    const { shown, options } = await ask("Lab?");
    assert.equal(options.length, 8);
    for (const { tools } of options) assert.equal(tools?.length, toolNames.length - 1);
    assert.deepEqual(
      options.map(({ modelOptions }) => modelOptions?.["tool_choice"]),
      [...Array<undefined>(7).fill(undefined), "none"],
    );
    assert.match(shown, /kept calling tools/);
  });

  it("are offered to the model with what is attached to a command of @gpu", async () => {
    const { sent } = await ask("running?", "servers");
    assert.match(sent, /List my GPU servers/);
    assert.match(sent, /running\?/);
    assert.match(sent, /text of the attachment/);
  });
});
