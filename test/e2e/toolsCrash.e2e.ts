import { fileURLToPath } from "node:url";
import { findExtensionHost } from "../host/extensionHostProcess.ts";
import { TestWindow } from "../host/testWindow.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const tools = fileURLToPath(new URL("../fixtures/tool-extension", import.meta.url));

describe("A tool that is running when the extension host is killed", () => {
  let window: TestWindow;

  before(async () => {
    window = await TestWindow.open({
      server: {
        settings: {
          "inferenceGateway.localGateway.startAutomatically": true,
        },
        // VS Code restarts the extension host only for installed extensions.
        extensions: [root, tools],
      },
    });
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("leaves a readable conversation, is not rerun automatically, and lets the conversation continue", async () => {
    const { workbench } = window;
    const chat = workbench.chatView();
    await workbench.startChat();
    await workbench.runCommand("Inference Gateway: Select Model…");
    await workbench.quickInput.pick("demo-lab/tool-caller");
    await chat.frame.getByRole("button", { name: "More actions" }).click();
    await chat.frame.getByRole("button", { name: "Select Tools" }).click();
    for (const label of ["Add Numbers", "Wait for Ever"]) {
      await workbench.quickInput.input.fill(label);
      await workbench.quickInput.tick(label);
    }
    await workbench.quickInput.input.press("Enter");
    await chat.send("Now standin_wait and standin_add");
    const card = (name: string) =>
      chat.frame.getByRole("group", { name: `Tool ${name}`, exact: true }).last();
    await card("standin_add").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Always Allow in This Workspace");
    await card("standin_add").locator("summary").filter({ hasText: "done" }).waitFor();
    await card("standin_wait").getByRole("button", { name: "Review and Run…" }).click();
    await workbench.answerDialog("Always Allow in This Workspace");
    await card("standin_wait").locator("summary").filter({ hasText: "running" }).waitFor();

    process.kill(await findExtensionHost(window.server), "SIGKILL");
    await workbench.reload();
    await workbench.runCommand("Inference Gateway: Open Conversation…");
    const { quickInput } = workbench;
    await quickInput.pickRow(quickInput.rows.filter({ hasText: "Now standin_wait" }).first());

    await card("standin_add").locator("summary").filter({ hasText: "done" }).waitFor();
    await chat.frame.getByText("Some of these calls may already have run.").waitFor();
    // It is always allowed, so it would run if anything ran automatically.
    await card("standin_wait").locator("summary").filter({ hasText: "may have run" }).waitFor();
    await chat.stopButton.waitFor({ state: "hidden" });
    await chat.frame.getByRole("button", { name: "Continue", exact: true }).click();
    // Even so, it isn't repeated without asking.
    await card("standin_wait").getByRole("button", { name: "Review and Run…" }).click();
    // This is a new window, which hasn't asked about this tool yet.
    await workbench.answerDialog("Allow Once");
    await card("standin_wait").locator("summary").filter({ hasText: "running" }).waitFor();
    await chat.stopButton.click();
    await card("standin_wait").locator("summary").filter({ hasText: "stopped" }).waitFor();
  });
});
