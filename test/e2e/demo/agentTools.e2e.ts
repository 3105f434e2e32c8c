import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { waitForStatus } from "../../host/notifications.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("The tools for agents", () => {
  let workbench: Workbench;
  let client: Client | undefined;

  shareWindow(
    root,
    () => ({}),
    async (window) => {
      ({ workbench } = window);
      await workbench.startChat();
    },
  );

  after(() => client?.close());

  async function ask(name: string, input: object): Promise<Readonly<Record<string, unknown>>> {
    assert.ok(client);
    const result = await client.callTool({ name, arguments: { ...input } });
    const content: unknown = result["content"];
    assert.ok(
      Array.isArray(content) && isRecord(content[0]) && result["isError"] === false,
      JSON.stringify(result),
    );
    const value: unknown = JSON.parse(String(content[0]["text"]));
    assert.ok(isRecord(value));
    return value;
  }

  async function search(text: string): Promise<{ readonly text: string; readonly isError: boolean }> {
    assert.ok(client);
    const result = await client.callTool({ name: "search_conversations", arguments: { text } });
    const content: unknown = result["content"];
    assert.ok(Array.isArray(content) && isRecord(content[0]));
    return { text: String(content[0]["text"]), isError: result["isError"] === true };
  }

  it("are available in a chat of the extension itself", async () => {
    await workbench.runCommand("Inference Gateway: Select Model…");
    await workbench.quickInput.pick("demo-lab/tool-caller");
    const { frame } = workbench.chatView();
    await frame.getByRole("button", { name: "More actions" }).click();
    await frame.getByRole("button", { name: "Select Tools" }).click();
    await workbench.quickInput.input.fill("Check Gateway");
    await workbench.quickInput.tick("Check Gateway");
    await workbench.quickInput.input.press("Enter");
    await workbench.chatView().send("Does the zebrafish answer? Use inferenceGateway_check_gateway");
    const card = frame
      .getByRole("group", { name: "Tool inferenceGateway_check_gateway", exact: true })
      .last();
    await card.getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Allow Once");
    await card
      .locator("summary")
      .filter({ hasText: /done|failed/ })
      .waitFor();
    await workbench.chatView().waitUntilAnswered();
  });

  it("are connected to an agent outside VS Code by a copied configuration without secrets", async () => {
    await workbench.page.evaluate('navigator.clipboard.writeText("")');
    await workbench.runFromPicker("Manage Profile…", "Connect Agents…");
    await workbench.quickInput.pick("Copy MCP Configuration");
    let copied = "";
    while (copied === "") copied = String(await workbench.page.evaluate("navigator.clipboard.readText()"));
    const configuration: unknown = JSON.parse(copied);
    assert.ok(isRecord(configuration) && isRecord(configuration["mcpServers"]));
    const server = configuration["mcpServers"]["inference-gateway"];
    assert.ok(isRecord(server) && typeof server["command"] === "string" && Array.isArray(server["args"]));
    client = new Client({ name: "Agent of the test", version: "1.0.0" });
    const args = server["args"].map(String);
    await client.connect(new StdioClientTransport({ command: server["command"], args, env: {} }));
    assert.equal((await client.listTools()).tools.length, 6);
  });

  it("respond to an agent's questions about servers, models and services", async () => {
    const { servers, total } = await ask("list_servers", { state: "running", limit: 3 });
    assert.ok(Array.isArray(servers) && isRecord(servers[0]) && Number(total) > 3);
    assert.deepEqual(
      servers.map((server) => isRecord(server) && server["status"]),
      ["running", "running", "running"],
    );
    const server = await ask("get_server", { server: servers[0]["id"] });
    assert.equal(server["profile"], "Local gateway");
    assert.equal(server["gpu"], servers[0]["gpu"]);
    assert.equal((await ask("get_gpu_usage", { server: servers[0]["id"] }))["isLive"], false);
    const { models } = await ask("list_models", { input: "audio" });
    assert.ok(Array.isArray(models) && isRecord(models[0]));
    assert.equal(models[0]["id"], "demo-lab/echo-omni");
    const { profiles } = await ask("check_gateway", {});
    assert.ok(Array.isArray(profiles) && isRecord(profiles[0]));
    const { inferenceService, gpuGateway } = profiles[0];
    assert.ok(isRecord(inferenceService) && isRecord(gpuGateway));
    assert.deepEqual([inferenceService["isResponding"], gpuGateway["isResponding"]], [true, true]);
  });

  it("search conversations only after the user agrees, and close the question when the call is canceled", async () => {
    assert.ok(client);
    const abort = new AbortController();
    const options = { signal: abort.signal };
    const canceled = client.callTool(
      { name: "search_conversations", arguments: { text: "zebrafish" } },
      undefined,
      options,
    );
    const question = workbench.page.getByText("Allow “Agent of the test” to search your conversations?");
    await question.waitFor();
    abort.abort();
    await assert.rejects(canceled);
    await question.waitFor({ state: "hidden" });
    const first = search("zebrafish");
    await question.waitFor();
    await workbench.quickInput.pick("Allow Once");
    const found = await first;
    assert.equal(found.isError, false, found.text);
    assert.match(found.text, /Does the zebrafish answer\?/);
    const second = search("zebrafish");
    await workbench.quickInput.pick("Allow in This Workspace");
    assert.equal((await second).isError, false);
    assert.equal((await search("zebrafish")).isError, false);
  });

  it("ask again, and read nothing, after the permission is withdrawn", async () => {
    await workbench.runFromPicker("Manage Profile…", "Connect Agents…");
    await workbench.quickInput.pick("Ask Again Before Agents Search Conversations in This Workspace");
    await waitForStatus(workbench, "Agents need your permission again");
    const denied = search("zebrafish");
    await workbench.quickInput.pick("Deny");
    assert.deepEqual(await denied, {
      text: "The user didn't allow this. Continue without it.",
      isError: true,
    });
  });

  it("are no longer available to agents that the user disconnects", async () => {
    await workbench.runFromPicker("Manage Profile…", "Connect Agents…");
    await workbench.quickInput.pick("Disconnect Agents Outside VS Code");
    assert.ok(client);
    for (;;) {
      const result = await client.callTool({ name: "list_models", arguments: {} });
      if (result["isError"] === true) break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
});
