import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = fileURLToPath(new URL("../fixtures/tool-extension", import.meta.url));

describe("Tools of another extension in a chat", () => {
  let window: TestWindow;
  let workbench: Workbench;

  before(async () => {
    window = await TestWindow.open({
      server: { extensions: [tools] },
      extension: root,
    });
    workbench = window.workbench;
    await workbench.startChat();
    await workbench.runCommand("Inference Gateway: Select Model…");
    await workbench.quickInput.pick("demo-lab/tool-caller");
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  const card = (name: string): Locator =>
    workbench
      .chatView()
      .frame.getByRole("group", { name: `Tool ${name}`, exact: true })
      .last();
  const waitFor = (name: string, state: RegExp): Promise<void> =>
    card(name).locator("summary").filter({ hasText: state }).waitFor();

  it("are selected for the conversation, grouped by source", async () => {
    await workbench.chatView().frame.getByRole("button", { name: "More actions" }).click();
    await workbench.chatView().frame.getByRole("button", { name: "Select Tools" }).click();
    for (const label of ["Add Numbers", "Draw", "Fail", "Leak", "Link", "Wait for Ever"]) {
      await workbench.quickInput.input.fill(label);
      await workbench.quickInput.tick(label);
    }
    await workbench.quickInput.input.press("Enter");
    const { frame } = workbench.chatView();
    await frame.getByRole("button", { name: "Select Tools: 6 selected" }).waitFor();
    const meter = frame.getByRole("button", { name: /^About [\d,]+ / });
    await meter.click();
    await frame
      .getByRole("group", { name: "Tokens in the next request" })
      .getByText("Tools and response format", { exact: true })
      .waitFor();
    await meter.click();
  });

  it("wait for confirmation, run, and send their results to the model", async () => {
    await workbench.chatView().send("Please use standin_add");
    await waitFor("standin_add", /waiting for your confirmation/);
    await eventually(async () => assert.match((await card("standin_add").textContent()) ?? "", /"a": \d/));
    await card("standin_add").getByRole("button", { name: "Review and Run…" }).press("Enter");
    // The page's button alone can't start a tool that was never confirmed outside the page.
    await workbench.dialog.getByText("Run the tool standin_add?").waitFor();
    await workbench.dialog.getByText(/"a": \d/).waitFor();
    await workbench.answerDialog("Cancel");
    await waitFor("standin_add", /waiting for your confirmation/);
    await card("standin_add").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Allow Once");
    await waitFor("standin_add", /done/);
    await workbench.chatView().lastArticle.getByText("The sum is").waitFor();
    await workbench.chatView().waitUntilAnswered();
  });

  it("show their results, however long, with images", async () => {
    await workbench.chatView().send("Please standin_draw");
    await card("standin_draw").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Allow Once");
    await waitFor("standin_draw", /done/);
    await card("standin_draw").locator("summary").click();
    await card("standin_draw")
      .getByRole("button", { name: /^Enlarge/ })
      .waitFor();
    await workbench.chatView().waitUntilAnswered();
    await workbench
      .chatView()
      .lastArticle.getByText(/The images weren't sent because this model doesn't support them/)
      .waitFor();
    await card("standin_draw").getByRole("button", { name: "Open Full Result" }).click();
    await workbench.editorTab("Tool result").waitFor();
    await workbench.closeTab("Tool result");
  });

  it("send the content of the resources that they link to, and the address of those that can't be read", async () => {
    await workbench.chatView().send("Please standin_link");
    await card("standin_link").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Allow Once");
    await waitFor("standin_link", /done/);
    await card("standin_link").locator("summary").click();
    await card("standin_link").getByText('"displayName": "Stand-in Tools"').waitFor();
    await card("standin_link")
      .getByText(/The result links to .*missing\.json, application\/json, which can't be read/)
      .waitFor();
    await workbench.chatView().waitUntilAnswered();
  });

  it("keep waiting for confirmation after the page is hidden and rebuilt", async () => {
    await workbench.chatView().send("Again standin_add and standin_fail");
    await waitFor("standin_fail", /waiting for your confirmation/);
    await workbench.runCommand("File: New Untitled Text File");
    await workbench.chatView().transcript.waitFor({ state: "hidden" });
    await workbench.editorTab("Please use standin_add").click();
    await waitFor("standin_add", /waiting for your confirmation/);
    await card("standin_add").getByRole("button", { name: "Decline" }).click();
    await card("standin_fail").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Allow for This Conversation");
    await waitFor("standin_add", /declined/);
    await waitFor("standin_fail", /failed/);
    const last = workbench.chatView().lastArticle;
    await last.getByText("The user declined this call.").waitFor();
    await last.getByText("The stand-in always fails.").waitFor();
    await workbench.chatView().waitUntilAnswered();
  });

  it("are canceled when the user stops, and the conversation continues", async () => {
    await workbench.chatView().send("Now standin_wait");
    await card("standin_wait").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Always Allow in This Workspace");
    await waitFor("standin_wait", /running/);
    await workbench.chatView().stopButton.click();
    await waitFor("standin_wait", /stopped/);
    await workbench.chatView().waitUntilAnswered();
    await workbench.chatView().frame.getByRole("button", { name: "Continue", exact: true }).click();
    await workbench.chatView().lastArticle.getByText("The user stopped this call.").waitFor();
    await workbench.chatView().waitUntilAnswered();
  });

  it("send the model no secret before the user decides, even after the page is rebuilt", async () => {
    await workbench.chatView().send("Please use standin_leak");
    await card("standin_leak").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Allow Once");
    const held = workbench.chatView().frame.getByRole("alertdialog", { name: "Message on hold" });
    await held.getByText("standin_leak").waitFor();
    await workbench.runCommand("File: New Untitled Text File");
    await workbench.chatView().transcript.waitFor({ state: "hidden" });
    await workbench.editorTab("Please use standin_add").click();
    await held.getByText("ghp_…Ux").waitFor();
    await held.getByRole("button", { name: "Mask and Send" }).click();
    await workbench.chatView().lastArticle.getByText("GITHUB_TOKEN=[masked: ").waitFor();
    await workbench.chatView().waitUntilAnswered();
    assert.ok(
      !((await workbench.chatView().transcript.textContent()) ?? "").includes("wWPw5k4aXcaT4fNP0Ucn"),
    );
  });

  it("are all restored after a window reload", async () => {
    await workbench.reload();
    await waitFor("standin_wait", /stopped/);
    await waitFor("standin_fail", /failed/);
  });

  it("are listed if they may run without asking, until the user revokes that", async () => {
    const { quickInput } = workbench;
    await workbench.runFromPicker("Chat Actions…", "Manage Tool Permissions…");
    const permission = quickInput.rows.filter({ hasText: "standin_wait" });
    await permission.getByText("In this workspace").waitFor();
    await quickInput.rows.filter({ hasText: "standin_fail" }).getByText("In one conversation").waitFor();
    await quickInput.clear("standin_wait");
    await quickInput.input.press("Enter");
    await permission.waitFor({ state: "hidden" });
    await workbench.runFromPicker("Chat Actions…", "Manage Tool Permissions…");
    await quickInput.rows.filter({ hasText: "standin_fail" }).waitFor();
    assert.equal(await permission.count(), 0);
    await quickInput.dismiss();
  });
});
