import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import type { ServerResponse } from "node:http";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { chooseInMenu } from "../host/contextMenu.ts";
import { showNotifications, waitForNotification } from "../host/notifications.ts";
import { filesBelow, findTraces, placesOfPage } from "../host/secretHunt.ts";
import type { Place } from "../host/secretHunt.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { everydayCases } from "../core/account/secrets/everydayCases.ts";
import { ZipReader } from "../../src/processes/library/zip.ts";
import { eventually } from "../support/eventually.ts";
import { readRequestBody, startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
/** The first form of each kind that is long enough not to occur by chance. */
const planted = [
  ...new Map(
    everydayCases()
      .filter(({ secrets }) => secrets.every((secret) => secret.length >= 12))
      .toReversed()
      .map((one) => [one.what.slice(0, one.what.indexOf(":")), one]),
  ).values(),
];
const allText = planted.map(({ text }) => text).join("\n\n");

/** A list with one server, whose record contains every secret in a field of its own. */
const serverList = JSON.stringify({
  servers: [
    {
      id: "srv-1",
      name: "trainer-1",
      status: "running",
      public_ip: "203.0.113.1",
      notes: planted.map(({ text }) => text),
      environment: Object.fromEntries(planted.map(({ secrets }, index) => [`VALUE_${index}`, secrets[0]])),
    },
  ],
});

describe("Secrets of more than 100 kinds", () => {
  let areServersDown = false;
  const received: string[] = [];
  let server: TestServer;
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    server = await startServer((request, response) => {
      void readRequestBody(request).then((body) => {
        if (request.url?.startsWith("/v1/models")) sendJson(response, 200, modelList);
        else if (request.url?.startsWith("/v1/") === true) {
          received.push(body);
          // What the server repeats of its own configuration is shown as the reason.
          sendJson(response, 400, JSON.stringify({ error: { message: `Broken.\n${allText}` } }));
        } else if (areServersDown) sendJson(response, 500, JSON.stringify({ message: allText }));
        else sendJson(response, 200, serverList);
      });
    });
    const profile = {
      name: "Planted",
      inferenceBaseUrl: `${server.url}/v1`,
      gatewayUrl: server.url,
      gatewayCredential: "sessionToken",
    };
    const settings = {
      "inferenceGateway.profiles": [profile],
      "inferenceGateway.servers.refreshInterval": 0,
      "inferenceGateway.maxAttempts": 1,
    };
    window = await TestWindow.open({ server: { settings }, extension: root });
    workbench = window.workbench;
    await workbench.runCommand("Developer: Set Log Level...");
    await workbench.quickInput.pick("Trace");
  });

  after(async () => {
    await window.close();
    await server.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  async function copied(part: string): Promise<string> {
    return await eventually(async () => {
      const text = String(await workbench.page.evaluate("navigator.clipboard.readText()"));
      assert.ok(text.includes(part), text);
      return text;
    });
  }

  /** The texts in an archive of all conversations. */
  async function exportAll(): Promise<string> {
    const { quickInput } = workbench;
    await workbench.runCommand("Inference Gateway: Export All Conversations…");
    await eventually(async () => assert.match((await quickInput.text()) ?? "", /\.zip$/));
    await quickInput.rows.first().waitFor();
    const file = (await quickInput.text()) ?? "";
    await quickInput.input.press("Enter");
    await waitForNotification(workbench, "The conversations were exported to");
    const archive = new ZipReader(file);
    try {
      return archive.entries.map((entry) => archive.read(entry).toString("latin1")).join("\n");
    } finally {
      archive.close();
    }
  }

  it("leave no trace when they are in a server's record, an error, or a message that is masked", async () => {
    assert.ok(planted.length >= 100, `Only ${planted.length} kinds are planted.`);
    const { page } = workbench;
    await workbench.openContainer("Inference Gateway");
    await workbench.runFromPicker("Set Credential…", "Session Token");
    await workbench.quickInput.answer("session-token-of-the-test");
    const row = (): Locator => workbench.treeRows("GPU Servers").filter({ hasText: "trainer-1" }).first();
    await row().hover();
    await chooseInMenu(workbench, row(), "More", "Show Server Record");
    await page.locator(".monaco-editor .view-line", { hasText: "trainer-1" }).first().waitFor();
    await workbench.runCommand("Inference Gateway: Show Servers as Table");
    await workbench.editorTab("GPU Servers").waitFor();
    await workbench.chatView().frame.getByRole("button", { name: "Copy as CSV" }).click();
    const table = await copied("trainer-1");
    await chooseInMenu(workbench, row(), "Add Server to Chat");
    const chat = workbench.chatView();
    await chat.send("What is this server for?");
    await chat.lastArticle.getByText("Broken.").first().waitFor();
    await chat.send(allText);
    await chat.frame.getByRole("button", { name: "Mask and Send" }).click();
    await chat.articles.nth(3).getByText("Broken.").first().waitFor();
    areServersDown = true;
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await workbench.treeRows("GPU Servers").filter({ hasText: "500" }).first().waitFor();
    await workbench.runCommand("Inference Gateway: Copy Diagnostics");
    const diagnostics = await copied("Inference Gateway");
    await showNotifications(workbench);
    const archive = await exportAll();
    // If writing it takes a moment, the message is stored as a draft, which is overwritten some time after it was sent.
    await eventually(() => assert.deepEqual(tracesIn(filesBelow(window.server.dataFolder)), []));

    const places = [
      ...filesBelow(window.server.dataFolder),
      ...(await placesOfPage(page)),
      { name: "the console", text: workbench.consoleText },
      { name: "the server's output", text: window.server.output() },
      { name: "the diagnostics", text: diagnostics },
      { name: "the copied table", text: table },
      { name: "the exported conversations", text: archive },
      { name: "process arguments", text: spawnSync("ps", ["-eo", "args"], { encoding: "utf8" }).stdout },
      { name: "requests to the model", text: received.join("\n") },
    ];
    const known = findTraces(places, ["trainer-1"]).join();
    for (const place of [/\.db/, /frame/, /requests to the model/, /copied table/, /exported/])
      assert.match(known, place);
    assert.deepEqual(tracesIn(places), []);
  });
});

function tracesIn(places: readonly Place[]): readonly string[] {
  return planted.flatMap(({ what, secrets }) =>
    findTraces(places, secrets).map((trace) => `${what.replaceAll("\n", " ")}: ${trace}`),
  );
}

const modelList = JSON.stringify({ object: "list", data: [{ id: "test/model", object: "model" }] });

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(body);
}
