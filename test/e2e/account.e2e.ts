import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { sign } from "../../src/gateway/auth/signature.ts";
import { editSettings, settingsFile } from "../host/editSettings.ts";
import { filesBelow, findTraces, placesOfPage } from "../host/secretHunt.ts";
import {
  notification,
  showNotifications,
  waitForNotification,
  waitForStatus,
} from "../host/notifications.ts";
import { exactly } from "../host/quickInput.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { startServer } from "../support/httpServer.ts";
import type { TestServer } from "../support/httpServer.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const accessKey = `CANARY-access-${randomBytes(12).toString("hex")}`;
const apiSecret = `CANARY-secret-${randomBytes(12).toString("hex")}`;
const sessionToken = `CANARY-session-${randomBytes(12).toString("hex")}`;
const buried = `CANARY-buried-${randomBytes(12).toString("hex")}`;

describe("The accounts of two profiles", () => {
  let refuses = false;
  /** How many requests were accepted, and how many were not. */
  let accepted = 0;
  let rejected = 0;
  /** How far the gateway's clock is ahead, in milliseconds. */
  let aheadMs = 0;
  let server: TestServer;
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    server = await startServer((request, response) => {
      const { searchParams } = new URL(request.url ?? "", "http://x");
      const nonce = searchParams.get("nonce") ?? "";
      const signature = sign({
        parameters: [],
        nonce,
        credential: { kind: "accessKey", accessKey, apiSecret },
        options: { encoding: "base64", emptyValues: "omit" },
      });
      const now = Date.now() + aheadMs;
      response.setHeader("date", new Date(now).toUTCString());
      const isFresh = Math.abs(Number(nonce) - now / 1_000) <= 30;
      const isSigned = isFresh && searchParams.get("signature") === signature;
      const isRight = request.headers.authorization === sessionToken || isSigned;
      response.setHeader("content-type", "application/json");
      if (isRight && !refuses) {
        // A secret in a record, and one in an address field.
        accepted++;
        const record = { id: "i-1", name: "trainer", status: "running", root_password: buried };
        response.end(JSON.stringify({ servers: [record] }));
        return;
      }
      rejected++;
      response.statusCode = 401;
      // It repeats the request in its error message, as some gateways do.
      response.end(JSON.stringify({ code: "ERR_SIGNATURE", message: `No: ${request.url} ${apiSecret}` }));
    });
    const profiles = [
      { name: "Cloud", gatewayUrl: server.url, production: true, color: "red" },
      { name: "Other", gatewayUrl: server.url, gatewayCredential: "sessionToken" },
    ];
    const settings = {
      "inferenceGateway.profiles": profiles,
      "inferenceGateway.servers.refreshInterval": 0,
    };
    window = await TestWindow.open({ server: { settings }, extension: root });
    workbench = window.workbench;
    await workbench.openContainer("Inference Gateway");
  });

  after(async () => {
    await window.close();
    await server.close();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("are signed in the format that the gateway expects, as detected by the check of the key", async () => {
    await workbench.runFromPicker("Set Credential…", "Access Key");
    await answerMasked(accessKey);
    await answerMasked(apiSecret);
    await waitForNotification(
      workbench,
      "The gateway expects a different signature format. The profile was updated: base64",
    );
    await rowOf("trainer").waitFor();
    assert.match(readFileSync(settingsFile(window.server), "utf8"), /"signatureEncoding": "base64"/);
  });

  it("are signed with the gateway's time if it differs, with a single notification", async () => {
    aheadMs = 45_000;
    for (let round = 0; round < 2; round++) await refresh(() => accepted);
    await waitForNotification(workbench, "s behind the clock on 127.0.0.1");
    assert.equal(await notifications("s behind the clock on").count(), 1);
    await eventually(async () =>
      assert.match(
        await notification(workbench, "s behind the clock on").innerText(),
        /Your clock is 4[456] s behind/,
      ),
    );
    await eventually(async () => assert.equal(await rowOf("trainer").count(), 1));
    await eventually(async () =>
      assert.equal(
        await workbench.treeRows("GPU Servers").filter({ hasText: "Couldn't refresh" }).count(),
        0,
      ),
    );
  });

  it("explain in a single notification why the gateway rejected them, and keep the rows", async () => {
    refuses = true;
    for (let round = 0; round < 2; round++) {
      await refresh(() => rejected);
      await waitForNotification(workbench, "“Cloud”: The GPU gateway rejected the request's signature");
    }
    refuses = false;
    // What is shown for an earlier refresh is shown before the end of a later one.
    await refresh(() => accepted);
    await workbench
      .treeRows("GPU Servers")
      .filter({ hasText: "Couldn't refresh" })
      .waitFor({ state: "detached" });
    const told = await waitForNotification(workbench, "rejected the request's signature");
    // VS Code keeps no two equal ones, but may draw its list twice when one arrives while it is being opened.
    await eventually(async () => {
      const shown = await notifications("rejected the request's signature").allInnerTexts();
      assert.equal(new Set(shown.map((text) => text.trim())).size, 1, shown.join("\n"));
    });
    await eventually(async () =>
      assert.match(await told.innerText(), /differs by 4[456] s from this machine's clock/),
    );
    for (const name of ["Set Access Key", "Diagnose Connection"])
      await told.getByRole("button", { name }).waitFor();
    await eventually(async () => assert.equal(await rowOf("trainer").count(), 1));
  });

  it("are offered for selection if a command could apply to either", async () => {
    const { quickInput } = workbench;
    await workbench.runCommand("Inference Gateway: Select Profile…");
    await quickInput.pick("Other");
    await workbench.runFromPicker("Set Credential…", "Session Token");
    await answerMasked(sessionToken);
    await waitForStatus(workbench, "The session token for “Other” was saved");
    await workbench.runCommand("Inference Gateway: Sign Out");
    for (const label of ["Other", "Cloud", "All Profiles"]) await quickInput.row(label).waitFor();
    await quickInput.pick("Cloud");
    await workbench.dialog.getByText("Sign out of “Cloud”?").waitFor();
    await workbench.dialog
      .getByText(/These credentials are deleted from this machine: access key ····\w{4}\./)
      .waitFor();
    await workbench.answerDialog("Cancel");
  });

  it("leave no trace of their secrets, or of secrets in records, outside the secret storage", async () => {
    await workbench.runCommand("Inference Gateway: Show Log");
    await showNotifications(workbench);
    const places = [
      ...filesBelow(window.server.dataFolder),
      ...(await placesOfPage(workbench.page)),
      { name: "the console", text: workbench.consoleText },
      { name: "the server's output", text: window.server.output() },
    ];
    assert.match(findTraces(places, ["trainer"]).join(), /frame/, "The hunt doesn't see what is shown.");
    assert.deepEqual(findTraces(places, [accessKey, apiSecret, sessionToken, buried]), []);
  });

  it("can be wiped even after all profiles are deleted", async () => {
    const { quickInput } = workbench;
    await editSettings(workbench, window.server, (settings) => ({
      ...settings,
      "inferenceGateway.profiles": [],
    }));
    await workbench.page
      .locator(".pane .welcome-view-content")
      .getByRole("button", { name: "Add Profile" })
      .waitFor();
    await workbench.runFromPicker("Manage Profile…", "Manage Credentials…");
    await workbench.page.locator(".quick-input-list").getByText("Cloud (profile deleted)").waitFor();
    await quickInput.pick("Remove Everything…");
    await workbench.dialog.getByText("including those of deleted profiles").waitFor();
    await workbench.answerDialog("Sign Out");
    await waitForStatus(workbench, "You're signed out. 2 secrets were deleted.");
    await waitForNotification(workbench, "No credentials are stored, and there is no profile yet.");
  });

  /** Refreshes the servers and waits until the gateway has counted one more request. */
  async function refresh(count: () => number): Promise<void> {
    const before = count();
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    await eventually(() => assert.ok(count() > before));
  }

  function notifications(text: string): Locator {
    return workbench.page.locator(".notifications-center .notification-list-item").filter({ hasText: text });
  }

  async function answerMasked(secret: string): Promise<void> {
    const { input } = workbench.quickInput;
    const title = workbench.page.locator(".quick-input-title");
    await title.filter({ hasText: /^\s*Set / }).waitFor();
    await eventually(async () => assert.equal(await input.getAttribute("type"), "password"));
    const asked = await title.innerText();
    await workbench.quickInput.answer(secret);
    await title.filter({ hasText: exactly(asked) }).waitFor({ state: "hidden" });
  }

  function rowOf(name: string): Locator {
    return workbench.treeRows("GPU Servers").filter({ hasText: name });
  }
});
