import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { startLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";
import type { RunningLocalGateway } from "../../src/localGateway/service/startLocalGateway.ts";
import { hideNotifications, waitForNotification, waitForStatus } from "../host/notifications.ts";
import { openProfileForm, ProfileFormView } from "../host/profileFormView.ts";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const link = "vscode://inference-gateway.inference-gateway";

/** A step of the walkthrough, once VS Code shows it like this. */
function stepOf(workbench: Workbench, title: string, isDone: boolean): Locator {
  const step = workbench.page.locator(".getting-started-step").filter({ hasText: title });
  return step.and(workbench.page.locator(`[aria-checked=${isDone}]`));
}

describe("A walkthrough that is opened late", () => {
  let gateway: RunningLocalGateway;
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    gateway = await startLocalGateway({ tokensPerSecond: 0 });
    window = await TestWindow.open({ extension: root });
    workbench = window.workbench;
  });

  after(async () => {
    await window.close();
    await gateway.stop();
  });

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("shows completed steps as done, but no check of a connection without an accepted credential", async () => {
    const form = await openProfileForm(workbench);
    await form.field("Name").fill("Lab");
    await form.field("Inference base URL").fill(gateway.inferenceBaseUrl);
    await form.saveButton.click();
    await waitForNotification(workbench, "“Lab” is now the active profile.");
    await hideNotifications(workbench);
    await workbench.runCommand("Inference Gateway: Get Started");
    await stepOf(workbench, "Connect to your GPU cloud", true).waitFor();
    // The keys of all steps are evaluated together.
    await stepOf(workbench, "Check the connection", false).waitFor();
  });

  it("shows a check that the form of a profile has performed", async () => {
    await workbench.runFromPicker("Manage Profile…", "Edit Profile…");
    const form = new ProfileFormView(workbench.page);
    await form.heading.getByText("Edit Profile “Lab”").waitFor();
    await form.field("API key").fill(gateway.credentials.apiKey);
    await form.saveButton.click();
    await waitForStatus(workbench, "The profile “Lab” was saved.");
    await workbench.runCommand("Inference Gateway: Get Started");
    await stepOf(workbench, "Check the connection", true).waitFor();
    await stepOf(workbench, "Store a credential", true).waitFor();
  });
});

describe("The first minutes", () => {
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    window = await TestWindow.open({
      server: { settings: { "inferenceGateway.chat.openIn": "editor" } },
      extension: root,
    });
    workbench = window.workbench;
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  /** Opens a link as a browser would hand it over, and lets VS Code pass it on. */
  async function openLink(rest: string): Promise<void> {
    await workbench.runCommand("Developer: Open URL");
    await workbench.quickInput.answer(`${link}${rest}`);
    await workbench.dialog.getByText("to open this URI?").waitFor();
    // The next dialog may replace this one at once.
    await workbench.dialog.getByRole("button", { name: "Open", exact: true }).click();
  }

  const step = (title: string): Locator =>
    workbench.page.locator(".getting-started-step").filter({ hasText: title });

  /** VS Code has checked the step off. */
  async function waitUntilDone(title: string): Promise<void> {
    await stepOf(workbench, title, true).waitFor();
  }

  it("begin with a walkthrough, in which nothing is done yet", async () => {
    await workbench.runCommand("Inference Gateway: Get Started");
    await step("Connect to your GPU cloud").waitFor();
    await eventually(async () =>
      assert.equal(await workbench.page.locator(".getting-started-step").count(), 6),
    );
    assert.equal(await workbench.page.locator(".getting-started-step[aria-checked=true]").count(), 0);
  });

  it("need no account: starting the local gateway completes the first two steps", async () => {
    await workbench.runCommand("Inference Gateway: Start Local Gateway");
    await workbench.runCommand("Inference Gateway: Get Started");
    await waitUntilDone("Connect to your GPU cloud");
    await waitUntilDone("Store a credential");
  });

  it("lead to a checked connection and a response", async () => {
    await workbench.runCommand("Inference Gateway: Diagnose Connection");
    await workbench.editorTab("Connection Report").waitFor();
    await workbench.closeTab("Connection Report");
    await workbench.runCommand("Inference Gateway: New Chat");
    await workbench.selectModel("demo-lab/echo-omni");
    await workbench.chatView().send("Hello there");
    await workbench.chatView().articles.nth(1).getByText("Hello there").waitFor();
    await workbench.chatView().waitUntilAnswered();
    await workbench.runCommand("Inference Gateway: Get Started");
    await waitUntilDone("Check the connection");
    await waitUntilDone("Get your first response");
  });

  it("end with a watched server", async () => {
    await step("See your GPU servers").click();
    await workbench.page.getByRole("button", { name: "Show GPU Servers" }).click();
    await workbench.treeRows("GPU Servers").filter({ hasText: "H100" }).first().click();
    await waitUntilDone("See your GPU servers");
    await workbench.runFromPicker("Server Actions…", "Watch");
    await waitUntilDone("Work on a GPU server");
  });

  it("open a chat from a link with its prompt in the composer, and send nothing", async () => {
    await openLink("/chat?prompt=Explain%20a%20%26%20b%3F");
    const { frame } = workbench.chatView();
    await frame.getByText("This message comes from a link of unknown origin.").waitFor();
    await eventually(async () =>
      assert.equal(await workbench.chatView().messageBox.inputValue(), "Explain a & b?"),
    );
    assert.equal(await workbench.chatView().articles.count(), 0);
  });

  it("fill in a profile from a link once its addresses are confirmed", async () => {
    await openLink("/profile?inferenceBaseUrl=https%3A%2F%2Fi.example%2Fv1");
    await workbench.dialog.getByText("Inference base URL: https://i.example/v1").waitFor();
    await workbench.answerDialog("Review Profile");
    const form = new ProfileFormView(workbench.page);
    await form.frame.getByText("These values come from a link of unknown origin.").waitFor();
    await eventually(async () =>
      assert.equal(await form.field("Inference base URL").inputValue(), "https://i.example/v1"),
    );
    await form.frame.getByRole("button", { name: "Cancel" }).click();
  });

  it("refuse a link with a credential, and any other link", async () => {
    await openLink("/profile?inferenceBaseUrl=https%3A%2F%2Fi.example%2Fv1&apiKey=CANARY-in-a-link");
    await waitForNotification(workbench, "The link contains a credential, so it wasn't opened.");
    await openLink("/elsewhere");
    await waitForNotification(workbench, "This link isn't supported.");
    assert.doesNotMatch(window.server.output(), /CANARY-in-a-link/);
  });
});
