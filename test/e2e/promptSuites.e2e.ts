import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";
import { readRequestBody, startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const secret = "ghp_0123456789abcdefghijklmnopqrstuvwxyzAB";

describe("Prompt suites in the Testing view", () => {
  let server: TestServer;
  let window: TestWindow;
  let workbench: Workbench;
  let folder: string;
  const asked: string[] = [];

  before(async () => {
    server = await startServer(async (request, reply) => {
      if (request.method === "GET") return void reply.end('{"data":[{"id":"lab/a"}]}');
      asked.push(await readRequestBody(request));
      reply.writeHead(200, { "content-type": "text/event-stream" });
      const end = { choices: [{ delta: { content: "It is masked." }, finish_reason: "stop" }] };
      reply.end(`data: ${JSON.stringify(end)}\n\ndata: [DONE]\n\n`);
    });
    folder = realpathSync(mkdtempSync(join(tmpdir(), "suites-")));
    const file = join(folder, "secret.prompts.yaml");
    writeFileSync(file, `models: [lab/a]\ncases:\n  - { name: secret, prompt: "Which key is ${secret}?" }\n`);
    window = await TestWindow.open({
      server: {
        settings: { "inferenceGateway.profiles": [{ name: "Lab", inferenceBaseUrl: `${server.url}/v1` }] },
      },
      extension: root,
      folder,
    });
    workbench = window.workbench;
    await workbench.openContainer("Testing");
  });

  after(async () => {
    await window.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const rows = (): Locator => workbench.page.locator(".test-explorer .monaco-list-row");
  const row = (label: string): Locator => rows().filter({ hasText: label }).first();

  async function run(label: string): Promise<void> {
    await row(label).click();
    await row(label)
      .getByRole("button", { name: /^Run Test/ })
      .first()
      .click();
  }

  it("ask before a secret is sent, and send nothing if the user declines", async () => {
    await run("secret.prompts.yaml");
    await workbench.dialog.getByText("looks like a secret").first().waitFor();
    assert.doesNotMatch((await workbench.dialog.textContent()) ?? "", new RegExp(secret));
    assert.equal(asked.length, 0);
    await workbench.answerDialog("Cancel");
    await run("secret.prompts.yaml");
    await workbench.answerDialog("Mask and Send");
    await eventually(async () => assert.equal(asked.length, 1));
    assert.doesNotMatch(asked.join(), new RegExp(secret));
  });
});
