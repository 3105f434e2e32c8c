import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { hideNotifications, waitForNotification } from "../../host/notifications.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { readRequestBody, startServer } from "../../support/httpServer.ts";
import type { TestServer } from "../../support/httpServer.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describe("A server without a model list", () => {
  let server: TestServer;
  let workbench: Workbench;
  const asked: unknown[] = [];
  let rejected = 0;

  shareWindow(
    root,
    async () => {
      server = await startServer((request, response) => {
        if (request.method === "GET") return void response.writeHead(404).end("no such page");
        void readRequestBody(request).then((body) => {
          const parsed: unknown = JSON.parse(body);
          const model = isRecord(parsed) ? parsed["model"] : undefined;
          if (isRecord(parsed) && parsed["stream_options"] !== undefined) {
            rejected++;
            const error = { message: "Unknown parameter: 'stream_options'.", param: "stream_options" };
            return void response.writeHead(400).end(JSON.stringify({ error }));
          }
          asked.push(model);
          response.writeHead(200, { "content-type": "text/event-stream" });
          const content = `Hello from ${String(model)}`;
          response.end(
            `data: ${JSON.stringify({ choices: [{ delta: { content }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
          );
        });
      });
      return { "inferenceGateway.profiles": [{ name: "Bare", inferenceBaseUrl: `${server.url}/v1` }] };
    },
    (window) => void ({ workbench } = window),
  );

  after(() => server.close());

  async function enterModel(name: string): Promise<void> {
    const { quickInput } = workbench;
    await quickInput.pickRow(quickInput.rows.filter({ hasText: "Enter Model Name…" }));
    await quickInput.input.fill(name);
    await quickInput.input.press("Enter");
  }

  const modelButton = (name: RegExp) => workbench.chatView().frame.getByRole("button", { name });

  it("uses a model whose name is typed into the model picker of the chat", async () => {
    await workbench.newChat();
    await modelButton(/^Model:/).click();
    await enterModel("lab/typed");
    await modelButton(/^Model: lab\/typed/).waitFor();
    await workbench.chatView().send("Hello?");
    await workbench.chatView().articles.nth(1).getByText("Hello from lab/typed").waitFor();
  });

  it("gets again what it has rejected, once the user forgets that", async () => {
    const { quickInput } = workbench;
    assert.equal(rejected, 1);
    await workbench.runCommand("Inference Gateway: Select Model…");
    await quickInput.pickRow(quickInput.rows.filter({ hasText: "Forget Rejections…" }));
    const row = quickInput.row("lab/typed").filter({ hasText: "Unknown parameter: 'stream_options'." });
    await row.getByText("sent without “stream_options”").waitFor();
    await quickInput.tick("lab/typed");
    await quickInput.input.press("Enter");
    await quickInput.rows.filter({ hasText: "Enter Model Name…" }).waitFor();
    assert.equal(await quickInput.rows.filter({ hasText: "Forget Rejections…" }).count(), 0);
    await quickInput.pick("lab/typed");
    await workbench.chatView().send("Again?");
    await workbench.chatView().articles.nth(3).getByText("Hello from lab/typed").waitFor();
    assert.equal(rejected, 2);
  });

  it("is set up for promptfoo with the typed name, and with the last message as a test", async () => {
    await workbench.runFromPicker("Manage Profile…", "Copy Setup for…");
    await workbench.quickInput.pick("lab/typed");
    await workbench.quickInput.pick("promptfoo");
    await waitForNotification(workbench, "The setup for promptfoo was copied without your key.");
    await hideNotifications(workbench);
    await eventually(async () => {
      const text = String(await workbench.page.evaluate("navigator.clipboard.readText()"));
      assert.match(text, /id: "openai:chat:lab\/typed"\n[^]*message: "Again\?"\n$/);
    });
  });

  it("offers the typed name again, and uses it for new chats", async () => {
    const chat = await workbench.newChat();
    await modelButton(/^Model: lab\/typed/).waitFor();
    assert.equal(await chat.articles.count(), 0);
    await workbench.runCommand("Inference Gateway: Select Model…");
    await eventually(async () => assert.ok((await workbench.quickInput.labels()).includes("lab/typed")));
    await enterModel("lab/other");
    await modelButton(/^Model: lab\/other/).waitFor();
  });

  it("compares models whose names were typed", async () => {
    await workbench.chatView().send("First?");
    await workbench.chatView().articles.nth(1).getByText("Hello from lab/other").waitFor();
    await workbench.runCommand("Inference Gateway: Compare Models…");
    const { quickInput } = workbench;
    await quickInput.tick("lab/typed");
    await quickInput.input.press("Enter");
    await workbench.chatView().frame.getByText("Hello from lab/typed").first().waitFor();
    await eventually(async () => assert.ok(asked.includes("lab/typed") && asked.includes("lab/other")));
  });
});
