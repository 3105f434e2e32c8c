import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { readRequestBody, startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";
import { eventually } from "../support/eventually.ts";

/** VS Code decodes images, so this is a real one. */
const image = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC";
const root = fileURLToPath(new URL("../..", import.meta.url));

interface Asked {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[];
  readonly reasoning_effort?: string;
  readonly tools?: readonly { readonly function: { readonly name: string } }[];
}

/** Responds according to the last message. */
class ScriptedModel {
  readonly asked: Asked[] = [];
  /** Resolves when the socket of an endless response is closed. */
  readonly stopped: Promise<void>;
  #onStopped: () => void = () => undefined;

  constructor() {
    this.stopped = new Promise((resolve) => (this.#onStopped = resolve));
  }

  respond(body: Asked, response: ServerResponse): void {
    this.asked.push(body);
    const text = JSON.stringify(body.messages.findLast(({ role }) => role === "user")?.content);
    if (text.includes("please fail")) {
      response.writeHead(402, { "content-type": "application/json" });
      return void response.end('{"error":{"message":"The wallet is empty."}}');
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    const send = (value: unknown): unknown => response.write(`data: ${JSON.stringify(value)}\n\n`);
    const say = (content: string): unknown => send({ choices: [{ delta: { content } }] });
    if (text.includes("never end")) {
      const timer = setInterval(() => say("Endless words\n\n"), 100);
      response.on("close", () => {
        clearInterval(timer);
        this.#onStopped();
      });
      return;
    }
    const isFollowUp = body.messages.at(-1)?.role === "tool";
    const serverTool = body.tools?.find(({ function: { name } }) => name.includes("list_servers"));
    if (text.includes("Which servers") && serverTool !== undefined && !isFollowUp) {
      const call = { index: 0, id: "c2", function: { name: serverTool.function.name, arguments: "{}" } };
      send({ choices: [{ delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] });
    } else if (text.includes("use a tool") && !isFollowUp) {
      const call = { index: 0, id: "c1", function: { name: "list_dir", arguments: folderArgument(text) } };
      send({ choices: [{ delta: { tool_calls: [call] }, finish_reason: "tool_calls" }] });
    } else {
      send({ choices: [{ delta: { reasoning_content: "The user says hello." } }] });
      say(isFollowUp ? `The tool said ${JSON.stringify(body.messages.at(-1)?.content)}` : "Hello **there**");
    }
    send({ choices: [], usage: { prompt_tokens: 5_000, completion_tokens: 1_000 } });
    response.end("data: [DONE]\n\n");
  }
}

function folderArgument(text: string): string {
  return JSON.stringify({ path: /folder (\/[\w/-]+)/.exec(text)?.[1] ?? "/" });
}

describe("The models in VS Code's own chat", () => {
  let server: TestServer;
  let window: TestWindow;
  let workbench: Workbench;
  const model = new ScriptedModel();
  const folder = mkdtempSync(join(tmpdir(), "native-"));

  before(async () => {
    writeFileSync(join(folder, "a-file-of-the-workspace.txt"), "");
    server = await startServer(async (request, response) => {
      if (request.method === "GET")
        return void response.end(
          '{"data":[{"id":"lab/thinker","context_length":60000,"supports_vision":true,"supports_reasoning":true}]}',
        );
      model.respond(JSON.parse(await readRequestBody(request)), response);
    });
    const settings = {
      "inferenceGateway.profiles": [{ name: "Lab", inferenceBaseUrl: `${server.url}/v1` }],
      "inferenceGateway.chat.prices": { "lab/*": { input: 1, output: 2, currency: "USD" } },
      "chat.disableAIFeatures": false,
    };
    window = await TestWindow.open({ server: { settings }, extension: root, folder });
    workbench = window.workbench;
    await workbench.prepareOwnChat("lab/thinker");
    await workbench.runCommand("Chat: Open Chat (Agent)");
  });

  after(async () => {
    await window.close();
    await server.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const response = (): Locator => workbench.page.locator(".interactive-response").last();
  const composer = (): Locator => workbench.page.locator(".interactive-input-part");

  async function send(text: string): Promise<void> {
    await composer().locator(".monaco-editor").first().click();
    await workbench.page.keyboard.type(text);
    await workbench.page.keyboard.press("Enter");
    await workbench.page.locator(".interactive-request", { hasText: text }).last().waitFor();
  }

  /** Types slowly enough for VS Code's suggestions, which turn the names into references. */
  async function mention(participant: string, command: string, text: string): Promise<void> {
    await composer().locator(".monaco-editor").first().click();
    await workbench.page.keyboard.type(`@${participant} ${command === "" ? "" : `/${command} `}${text}`, {
      delay: 40,
    });
    await workbench.page.keyboard.press("Escape");
    await workbench.page.keyboard.press("Enter");
  }

  it("stream a response with its reasoning", async () => {
    await send("Say hello");
    await response().locator("strong", { hasText: "there" }).waitFor();
    await response().getByText("Completed").click();
    await response().getByText("Finished").click();
    await response().getByText("The user says hello.").waitFor();
    const [request] = model.asked.filter(({ tools = [] }) => tools.length > 0);
    assert.equal(request?.reasoning_effort, undefined);
  });

  it("fill the context ring with the reported usage", async () => {
    const ring = composer().locator(".chat-context-usage-widget");
    await ring.hover();
    await workbench.page
      .getByText(/60K tokens/)
      .first()
      .waitFor();
    await workbench.page.keyboard.press("Escape");
    await workbench.page.mouse.move(0, 0);
  });

  it("send the reasoning effort that is selected next to the model", async () => {
    await composer().getByText("Auto", { exact: true }).click();
    await workbench.page
      .getByRole("menuitemradio", { name: "high", exact: true })
      .or(workbench.page.locator(".action-widget").getByText("high", { exact: true }))
      .first()
      .click();
    await workbench.page.keyboard.press("Escape");
    // VS Code shows the selection immediately, but doesn't use it before it is stored.
    const stored = join(window.server.dataFolder, "data/User/chatLanguageModels.json");
    await eventually(() => assert.match(readFileSync(stored, "utf8"), /"high"/));
    await send("Say hello again");
    // The previous response, which is the same, may still be the last one that is shown.
    const request = await eventually(() => {
      const found = model.asked.findLast(({ tools = [] }) => tools.length > 0);
      assert.match(
        JSON.stringify(found?.messages.findLast(({ role }) => role === "user")),
        /Say hello again/,
      );
      return found;
    });
    assert.equal(request?.reasoning_effort, "high");
    await response().locator("strong", { hasText: "there" }).waitFor();
  });

  it("run a tool and use its result", async () => {
    await send(`Please use a tool on the folder ${folder}`);
    await response().getByText("a-file-of-the-workspace.txt").waitFor();
  });

  it("send an image", async () => {
    await composer().locator(".monaco-editor").first().click();
    await workbench.page.evaluate(copyImage);
    await workbench.page.keyboard.press("Control+V");
    await composer().locator(".chat-attached-context-attachment").last().waitFor();
    await send("Look at this image");
    await response().locator("strong", { hasText: "there" }).waitFor();
    assert.match(JSON.stringify(model.asked.at(-1)?.messages.at(-1)), /"image_url"/);
  });

  it("show an error as a sentence without the stack", async () => {
    await send("Now please fail");
    await response().getByText("The wallet is empty").waitFor();
    assert.doesNotMatch(await response().innerText(), /\bat |\.cjs/);
  });

  it("stop, and close the connection", async () => {
    await send("Go on and never end");
    await response().getByText("Endless").first().waitFor();
    await composer().locator(".codicon-stop-circle").click();
    await model.stopped;
  });

  it("answer questions to @gpu with the tools for servers", async () => {
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    await workbench.page.locator(".part.statusbar").getByText("Local gateway").waitFor();
    await mention("gpu", "", "Which servers are there?");
    await response().getByText("The tool said").waitFor();
    await eventually(async () => assert.match(await response().innerText(), /"status"/));
    const [tool] = model.asked.at(-1)?.tools ?? [];
    assert.match(tool?.function.name ?? "", /server/);
  });

  it("answer the commands of @gpu with the tools, and aren't needed for a diagnosis", async () => {
    await mention("gpu", "servers", "Which servers run?");
    await response().getByRole("button", { name: "Show Servers as Table" }).waitFor();
    assert.match(await response().innerText(), /The tool said/);
    assert.match(JSON.stringify(model.asked.at(-1)?.messages), /List my GPU servers.*Which servers run/);
    await mention("gpu", "diagnose", "");
    await response().getByText("Connection Report").waitFor();
    await response().getByRole("button", { name: "Diagnose Connection" }).waitFor();
  });
});

/** As text, because the types of the page's own world don't apply here. */
const copyImage = `(async () => {
  const bytes = Uint8Array.from(atob("${image}"), (character) => character.charCodeAt(0));
  const blob = new Blob([bytes], { type: "image/png" });
  await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
})()`;
