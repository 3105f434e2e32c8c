import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { notification, showNotifications, waitForNotification } from "../host/notifications.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { readRequestBody, startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const modelUser = fileURLToPath(new URL("../fixtures/model-user", import.meta.url));

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly temperature?: number;
  readonly tools?: readonly unknown[];
}

describe("The models in VS Code's language model API", () => {
  let server: TestServer;
  let window: TestWindow;
  let workbench: Workbench;
  const asked: Asked[] = [];

  before(async () => {
    server = await startServer(async (request, response) => {
      if (request.method === "GET")
        return void response.end('{"data":[{"id":"lab/echo","context_length":20000},{"id":"lab/other"}]}');
      const body: Asked = JSON.parse(await readRequestBody(request));
      asked.push(body);
      response.writeHead(200, { "content-type": "text/event-stream" });
      const send = (value: unknown): unknown => response.write(`data: ${JSON.stringify(value)}\n\n`);
      send({ choices: [{ delta: { content: "Hello " } }] });
      send({ choices: [{ delta: { content: "there" } }] });
      const call = { index: 0, id: "c1", function: { name: "look", arguments: '{"at":"home"}' } };
      send({ choices: [{ delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] });
      send({ choices: [], usage: { prompt_tokens: 10, completion_tokens: 200_000 } });
      response.end("data: [DONE]\n\n");
    });
    const settings = {
      "inferenceGateway.profiles": [{ name: "Lab", inferenceBaseUrl: `${server.url}/v1` }],
      "inferenceGateway.chat.prices": { "lab/*": { input: 1, output: 1, currency: "USD" } },
      "inferenceGateway.chat.budget": { daily: 1.1 },
    };
    window = await TestWindow.open({ server: { settings, extensions: [modelUser] }, extension: root });
    workbench = window.workbench;
  });

  after(async () => {
    await window.close();
    await server.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("aren't available to another extension without the user's consent", async () => {
    await workbench.runCommand("Model User: Ask");
    await workbench.answerDialog("Deny");
    await waitForNotification(
      workbench,
      "Result: lab/echo 11808 true | error: You haven't allowed the extension",
    );
    assert.equal(asked.length, 0);
    await workbench.runFromPicker("Manage Profile…", "Manage Model Access…");
    await workbench.quickInput.pick("Model User");
  });

  it("stream text, tool calls, images and options for an extension that is allowed", async () => {
    await workbench.runCommand("Model User: Ask");
    await workbench.answerDialog("Allow");
    await waitForNotification(workbench, 'Result: lab/echo 11808 true | Hello there[look {"at":"home"}]');
    const [request] = asked;
    assert.equal(request?.temperature, 0.5);
    assert.equal(request.tools?.length, 1);
    const [message, ...others] = request.messages;
    assert.deepEqual(others, []);
    assert.match(
      JSON.stringify(message),
      /^\{"role":"user","content":\[\{"type":"text","text":"Question 0"\},\{"type":"image_url","image_url":\{"url":"data:image\/png;base64,[^"]+"\}\}\]\}$/,
    );
  });

  it("stay within the budget when an extension sends twenty requests at once", async () => {
    await workbench.runCommand("Model User: Ask Twenty Times");
    // It is shown once all twenty have ended.
    await waitForNotification(
      workbench,
      '| Hello there[look {"at":"home"}] | error: Today\'s budget is used up',
    );
    // The first request has cost 0.20 of 1.10, so the others are expected to cost as much.
    assert.equal(asked.length, 1 + 5);
    const before = asked.length;
    // The same, without a response. VS Code once showed nothing although all twenty had ended with an error.
    const refused = notification(workbench, "lab/echo 11808 true | error: Today's budget is used up");
    for (let tries = 0; tries < 3 && !(await refused.isVisible()); tries += 1) {
      await workbench.runCommand("Model User: Ask Twenty Times");
      for (let looks = 0; looks < 5 && !(await refused.isVisible()); looks += 1) {
        await showNotifications(workbench);
        await refused.waitFor({ timeout: 2_000 }).catch(() => undefined);
      }
    }
    assert.ok(await refused.isVisible());
    assert.equal(asked.length, before);
  });

  it("can be inspected and copied as code", async () => {
    const { quickInput } = workbench;
    const open = async (action: string): Promise<void> => {
      await workbench.runFromPicker("Chat Actions…", "Show Requests…");
      // Most requests were refused.
      await quickInput.input.fill("Complete");
      // Requests of other extensions name them.
      await quickInput.rows.filter({ hasText: "inference-gateway-tests.model-user" }).first().waitFor();
      await quickInput.rows.filter({ hasText: "Not sent" }).first().waitFor({ state: "detached" });
      await quickInput.input.press("Enter");
      await quickInput.pickRow(quickInput.rows.filter({ hasText: action }).first());
    };
    await open("Inspect Request");
    await workbench.editorTab("Request lab echo").first().waitFor();
    await open("Copy as curl");
    await workbench.page.waitForFunction(
      `navigator.clipboard.readText().then((text) => text.includes("Question "))`,
    );
  });

  it("are set up in another client without the key", async () => {
    await workbench.runFromPicker("Manage Profile…", "Copy Setup for…");
    await workbench.quickInput.pick("lab/echo");
    await workbench.quickInput.pick("curl");
    await waitForNotification(workbench, "The setup for curl was copied without your key.");
    const copied = await eventually(async () => {
      const text = String(await workbench.page.evaluate("navigator.clipboard.readText()"));
      assert.ok(
        text.includes(`--url '${server.url}/v1/chat/completions'`) ||
          text.includes(`--url ${server.url}/v1/chat/completions`),
      );
      return text;
    });
    assert.match(copied, /"model":"lab\/echo"/);
  });
});
