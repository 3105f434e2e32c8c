import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { showNotifications, waitForNotification } from "../host/notifications.ts";
import { filesBelow, findTraces, placesOfPage } from "../host/secretHunt.ts";
import { exactly } from "../host/quickInput.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const createKey = (tail: string): string => `CANARY-${randomBytes(12).toString("hex")}-${tail}`;
const oldKey = createKey("aaaa");
const newKey = createKey("bbbb");
const mistypedKey = createKey("cccc");

describe("The rotation of an API key", () => {
  const accepted = new Set([oldKey, newKey]);
  const used: string[] = [];
  let server: TestServer;
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    server = await startServer((request, response) => {
      const key = (request.headers.authorization ?? "").replace("Bearer ", "");
      used.push(key);
      response.statusCode = accepted.has(key) ? 200 : 401;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data: [{ id: "lab/model", object: "model" }] }));
    });
    const profile = { name: "Cloud", inferenceBaseUrl: `${server.url}/v1`, production: true, color: "red" };
    const settings = { "inferenceGateway.profiles": [profile] };
    window = await TestWindow.open({ server: { settings }, extension: root });
    workbench = window.workbench;
    await workbench.runFromPicker("Set Credential…", "Set API Key…");
    await answerMasked("Set API Key for “Cloud”", oldKey);
    await waitForNotification(workbench, "was saved");
  });

  after(async () => {
    await window.close();
    await server.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("doesn't activate a key that the server rejects, and keeps the current one", async () => {
    await openCredentials();
    await workbench.quickInput.pick("API Key ····aaaa");
    await workbench.quickInput.pick("Rotate…");
    await answerMasked("New API Key for “Cloud”", mistypedKey);
    await workbench.dialog.getByText("Invalid API key. Nothing was saved.").waitFor();
    assert.equal(await workbench.dialog.getByRole("button", { name: "Store Anyway" }).count(), 0);
    await workbench.answerDialog("Try Again");
  });

  it("uses the new key after the server accepts it", async () => {
    await answerMasked("New API Key for “Cloud”", newKey);
    await waitForNotification(workbench, "was accepted and is in use");
    await title("Credentials").waitFor();
    await workbench.quickInput.dismiss();
    const since = used.length;
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.chatView().messageBox.waitFor();
    await assertUsed(since, newKey);
  });

  it("keeps the old key until it is revoked on the server", async () => {
    await openCredentials();
    await row("API Key ····aaaa").getByText("old; revoke it").waitFor();
    await row("API Key ····bbbb").waitFor();
    await workbench.quickInput.pick("API Key ····aaaa");
    await workbench.quickInput.pick("Confirm Revocation…");
    await workbench.dialog.getByText("The server still accepts the old API key ····aaaa").waitFor();
    await workbench.answerDialog("Cancel");
    await row("API Key ····aaaa").waitFor();
  });

  it("deletes the old key after it is revoked", async () => {
    accepted.delete(oldKey);
    await workbench.quickInput.pick("API Key ····aaaa");
    await workbench.quickInput.pick("Confirm Revocation…");
    await row("API Key ····bbbb").waitFor();
    await row("API Key ····aaaa").waitFor({ state: "detached" });
    await workbench.quickInput.dismiss();
  });

  it("leaves no trace of any key outside the secret storage", async () => {
    await showNotifications(workbench);
    const places = [
      ...filesBelow(window.server.dataFolder),
      ...(await placesOfPage(workbench.page)),
      { name: "the console", text: workbench.consoleText },
      { name: "the server's output", text: window.server.output() },
    ];
    assert.deepEqual(findTraces(places, [oldKey, newKey, mistypedKey]), []);
    assert.notDeepEqual(findTraces(places, ["accepted and is in use"]), []);
  });

  async function openCredentials(): Promise<void> {
    await workbench.runCommand("Inference Gateway: Manage Credentials…");
    await title("Credentials").waitFor();
  }

  async function assertUsed(since: number, key: string): Promise<void> {
    await workbench.runCommand("Inference Gateway: Select Model…");
    await workbench.quickInput.rows.filter({ hasText: "lab/model" }).waitFor();
    await workbench.quickInput.dismiss();
    assert.deepEqual([...new Set(used.slice(since))], [key]);
  }

  async function answerMasked(text: string, secret: string): Promise<void> {
    await title(text).waitFor();
    await eventually(async () =>
      assert.equal(await workbench.quickInput.input.getAttribute("type"), "password"),
    );
    await eventually(async () => assert.equal(await workbench.quickInput.input.inputValue(), ""));
    await workbench.quickInput.answer(secret);
    await title(text).waitFor({ state: "hidden" });
  }

  function title(text: string): Locator {
    return workbench.page.locator(".quick-input-title").filter({ hasText: exactly(text) });
  }

  function row(label: string): Locator {
    return workbench.quickInput.row(label);
  }
});
