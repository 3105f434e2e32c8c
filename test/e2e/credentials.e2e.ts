import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { startLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";
import { editSettings } from "../host/editSettings.ts";
import { freePort } from "../host/freePort.ts";
import { answerNotification, showNotifications, waitForNotification } from "../host/notifications.ts";
import { openProfileForm } from "../host/profileFormView.ts";
import { filesBelow, findTraces, placesOfPage } from "../host/secretHunt.ts";
import type { Place } from "../host/secretHunt.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";
import { createRequestRecord } from "../support/requestRecord.ts";
import type { RequestRecord } from "../support/requestRecord.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const wrongKey = `CANARY-wrong-${randomBytes(12).toString("hex")}`;
const uncheckedKey = `CANARY-unchecked-${randomBytes(12).toString("hex")}`;
const allKinds = ["API Key", "Access Key", "STS Token", "Session Token"];
const serverList = "/gpu/api/v1/servers";
const signed = ["header x-auth-type", "query access_key", "query nonce", "query signature"];

describe("Credentials", () => {
  const records: RequestRecord[] = [];
  const arrivals = new EventEmitter();
  let gateway: RunningLocalGateway;
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    gateway = await startLocalGateway({
      tokensPerSecond: 0,
      onRequest(request, response) {
        records.push(createRequestRecord(request, response));
        arrivals.emit("record");
      },
    });
    const settings = {
      // Servers are listed only when something changes: every request has its reason.
      "inferenceGateway.servers.refreshInterval": 0,
    };
    window = await TestWindow.open({ server: { settings }, extension: root });
    workbench = window.workbench;
    await workbench.openContainer("Inference Gateway");
  });

  after(async () => {
    await window.close();
    await gateway.stop();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("are reported as missing while there is no profile", async () => {
    await welcomeButton("Add Profile").waitFor();
    await workbench.runFromPicker("Manage Profile…", "Manage Credentials…");
    await waitForNotification(workbench, "No credentials are stored, and there is no profile yet");
  });

  it("are not needed to add a profile, whose addresses are checked without any", async () => {
    await addProfile("Mine", gateway.inferenceBaseUrl, gateway.gatewayUrl);
    await welcomeButton("Set Access Key").waitFor();
    assert.deepEqual(new Set(records.flatMap(({ carriers: where }) => where)), new Set());
  });

  it("are reported as invalid and not stored", async () => {
    await setCredential("API Key", wrongKey);
    await workbench.dialog.getByText("Invalid API key. Nothing was saved.").waitFor();
    assert.equal(await workbench.dialog.getByRole("button", { name: "Store Anyway" }).count(), 0);
    await workbench.answerDialog("Cancel");
    await waitForStored([]);
  });

  it("let a chat start once the API key is valid", async () => {
    await setCredential("API Key", wrongKey);
    await workbench.answerDialog("Try Again");
    await answerMasked("Set API Key", gateway.credentials.apiKey);
    await waitForStored(["API Key"]);
    await workbench.runCommand("Inference Gateway: New Chat");
    const since = records.length;
    const chat = workbench.chatView();
    await chat.send("Hello there");
    await chat.articles.nth(1).getByText("isn't a language model").first().waitFor();
    assert.deepEqual(await carriers("/v1/chat/completions", since), ["header authorization"]);
  });

  it("load the servers, signed with the access key", async () => {
    const { accessKey, apiSecret } = gateway.credentials;
    const since = records.length;
    await setCredential("Access Key", accessKey, apiSecret);
    await firstServer().waitFor();
    assert.deepEqual(await carriers(serverList, since), signed);
  });

  it("load the servers with the session token where the profile says, once the user selects it", async () => {
    await setCredential("Session Token", gateway.credentials.sessionToken);
    // Until then the token is being checked, by a request that contains it as well.
    await waitForNotification(workbench, "The session token for “Mine” was saved");
    await assertListedBy("header authorization", () =>
      answerNotification(
        workbench,
        "The profile currently uses the access key for its servers.",
        "Use New Credential",
      ),
    );
    await assertListedBy("cookie OU-Token-V1", () => editProfile({ sessionTokenCarrier: "ouCookie" }));
  });

  it("load the servers with the STS token", async () => {
    await setCredential("STS Token", gateway.credentials.stsToken);
    await waitForNotification(workbench, "The STS token for “Mine” was saved");
    await assertListedBy("header sts-token", () => editProfile({ gatewayCredential: "stsToken" }));
  });

  it("can be stored even if the server is unreachable, and removed", async () => {
    await addProfile("Nowhere", `http://127.0.0.1:${await freePort()}/v1`, "", true);
    await setCredential("API Key", uncheckedKey);
    await workbench.dialog.getByText("The server is unreachable").waitFor();
    await workbench.answerDialog("Store Anyway");
    await waitForNotification(workbench, "The API key for “Nowhere” was saved");
    // Two profiles have one: the list shows their last characters, and the dialog names the profile.
    await workbench.runFromPicker("Manage Profile…", "Manage Credentials…");
    await workbench.quickInput.pick(`API Key ····${uncheckedKey.slice(-4)}`);
    await workbench.quickInput.pick("Remove…");
    await workbench.dialog.getByText(/Remove the API key ····\w{4} from “Nowhere”/).waitFor();
    await workbench.answerDialog("Remove");
    await workbench.quickInput.row(`API Key ····${uncheckedKey.slice(-4)}`).waitFor({ state: "hidden" });
    await workbench.quickInput.dismiss();
    await waitForStored(allKinds);
  });

  it("are restored with their profile, even in a new window", async () => {
    await workbench.runCommand("Inference Gateway: Select Profile…");
    await workbench.quickInput.pick("Mine");
    await workbench.reload();
    await firstServer().waitFor();
    await waitForStored(allKinds);
  });

  it("leave no trace outside the secret storage", async () => {
    const places = await allPlaces();
    const known = findTraces(places, ["Hello there"]).join();
    assert.match(known, /\.sqlite|\.db/, `The hunt doesn't see what is on disk, only ${known}.`);
    assert.match(known, /frame/, `The hunt doesn't see what is shown, only ${known}.`);
    assert.deepEqual(findTraces(places, allSecrets()), []);
    const odd = records.filter(
      ({ path, carriers: where, statusCode }) =>
        path.startsWith("/v1/") && where.length !== 1 && statusCode !== 401,
    );
    assert.deepEqual(odd, []);
  });

  it("are wiped by signing out", async () => {
    await workbench.runCommand("Inference Gateway: Sign Out");
    await workbench.dialog.getByText("Sign out of “Mine”?").waitFor();
    await workbench.answerDialog("Sign Out");
    await waitForStored([]);
    await welcomeButton("Set STS Token").waitFor();
    await workbench.reload();
    await welcomeButton("Set STS Token").waitFor();
    await waitForStored([]);
  });

  /**
   * After the change, the servers are listed with the new kind of credential and from then on with no other. Requests
   * in progress at the time of the change don't count.
   */
  async function assertListedBy(carrier: string, change: () => Promise<void>): Promise<void> {
    const since = records.length;
    await change();
    const listed = (): readonly RequestRecord[] =>
      records.slice(since).filter(({ path }) => path === serverList);
    while (listed().every(({ carriers: where }) => where.join() !== carrier)) await once(arrivals, "record");
    await firstServer().waitFor();
    const refreshed = records.length;
    await workbench.runCommand("Inference Gateway: Refresh Servers");
    while (!records.slice(refreshed).some(({ path }) => path === serverList)) await once(arrivals, "record");
    const all = listed();
    const first = all.findIndex(({ carriers: where }) => where.join() === carrier);
    for (const record of all.slice(first)) {
      assert.deepEqual([record.statusCode, ...record.carriers], [200, carrier]);
    }
  }

  function editProfile(change: Readonly<Record<string, string>>): Promise<void> {
    return editSettings(workbench, window.server, (settings) => {
      const profiles = settings["inferenceGateway.profiles"];
      assert.ok(Array.isArray(profiles));
      const changed = profiles.map((profile: object) => ({ ...profile, ...change }));
      return { ...settings, "inferenceGateway.profiles": changed };
    });
  }

  async function addProfile(
    name: string,
    inferenceBaseUrl: string,
    gatewayUrl: string,
    isUnreachable = false,
  ): Promise<void> {
    const form = await openProfileForm(workbench);
    await form.field("Name").fill(name);
    await form.field("Inference base URL").fill(inferenceBaseUrl);
    await form.field("GPU gateway URL").fill(gatewayUrl);
    await form.saveButton.click();
    if (isUnreachable) await workbench.answerDialog("Save Anyway");
    // Until then the commands act on the previous profile.
    await waitForNotification(workbench, `“${name}” is now the active profile.`);
  }

  async function setCredential(kind: string, ...parts: readonly string[]): Promise<void> {
    await workbench.runFromPicker("Set Credential…", kind);
    for (const [index, part] of parts.entries()) {
      await answerMasked(parts.length === 1 ? `Set ${kind}` : `(${index + 1}/${parts.length})`, part);
    }
  }

  /** The input is masked and doesn't show anything that was stored. */
  async function answerMasked(title: string, secret: string): Promise<void> {
    await questionTitle(title).waitFor();
    const { input } = workbench.quickInput;
    await eventually(async () => assert.equal(await input.getAttribute("type"), "password"));
    await eventually(async () => assert.equal(await input.inputValue(), ""));
    await workbench.quickInput.answer(secret);
    // It fades out and must not be mistaken for the next input.
    await questionTitle(title).waitFor({ state: "hidden" });
  }

  function questionTitle(text: string): Locator {
    return workbench.page.locator(".quick-input-title").filter({ hasText: text });
  }

  function firstServer(): Locator {
    return workbench.treeRows("GPU Servers").filter({ hasText: "H100" }).first();
  }

  function welcomeButton(name: string): Locator {
    return workbench.page.locator(".pane .welcome-view-content").getByRole("button", { name });
  }

  /** How credentials were attached to the first successful request to this path since then. */
  async function carriers(path: string, since: number): Promise<readonly string[]> {
    for (;;) {
      const record = records.slice(since).find((candidate) => candidate.path === path);
      if (record === undefined) await once(arrivals, "record");
      else {
        assert.equal(record.statusCode, 200);
        return record.carriers;
      }
    }
  }

  /** The list is updated shortly after a change, so it is read repeatedly until it has exactly these kinds. */
  async function waitForStored(expected: readonly string[]): Promise<void> {
    const wanted = [...expected].sort();
    let stored: readonly string[] = [];
    for (const deadline = Date.now() + 60_000; Date.now() < deadline;) {
      // The previous command's box may still be fading out.
      stored = await storedKinds().catch(() => ["nothing, for the list did not open"]);
      if (stored.join() === wanted.join()) break;
    }
    assert.deepEqual(stored, wanted);
  }

  async function storedKinds(): Promise<readonly string[]> {
    await workbench.runFromPicker("Manage Profile…", "Manage Credentials…");
    await questionTitle("Credentials").waitFor();
    const labels = await workbench.quickInput.labels();
    await workbench.quickInput.dismiss();
    return labels.flatMap((label) => /^(.*) ····/.exec(label.trim())?.[1] ?? []).sort();
  }

  function allSecrets(): readonly string[] {
    const { apiKey, accessKey, apiSecret, sessionToken, stsToken } = gateway.credentials;
    return [wrongKey, uncheckedKey, apiKey, accessKey, apiSecret, sessionToken, stsToken];
  }

  /** Files, pages including notifications, browser storage, and everything that was printed. */
  async function allPlaces(): Promise<readonly Place[]> {
    const { page } = workbench;
    await showNotifications(workbench);
    return [
      ...filesBelow(window.server.dataFolder),
      ...(await placesOfPage(page)),
      { name: "the console", text: workbench.consoleText },
      { name: "the server's output", text: window.server.output() },
    ];
  }
});
