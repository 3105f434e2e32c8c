import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { waitForStatus } from "../../host/notifications.ts";
import { shareWindow } from "../../host/sharedWindow.ts";
import type { Workbench } from "../../host/workbench.ts";
import { eventually } from "../../support/eventually.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** Commands that the palette offers in a separate picker. */
const inChatActions = new Set(["Select Tools…", "Set Response Format…", "Rename Conversation…"]);

describe("The keyboard focus", () => {
  let workbench: Workbench;

  const box = (): Locator => workbench.chatView().messageBox;
  const type = (text: string): Promise<void> => workbench.page.keyboard.type(text);
  const press = (key: string): Promise<void> => workbench.page.keyboard.press(key);

  /** Types as soon as the composer has the focus, without a click anywhere. */
  async function assertTypesIntoComposer(): Promise<void> {
    await workbench.chatView().frame.locator("textarea:focus").waitFor();
    await type("typed");
    await eventually(async () => assert.equal(await box().inputValue(), "typed"));
    await box().fill("");
  }

  /** Whether the webview has the focus and its loading document, or its composer, accepts keys. */
  async function isKeepingKeys(): Promise<boolean> {
    const frames = workbench.page
      .frames()
      .filter((frame) => frame.name() === "pending-frame" || frame.name() === "active-frame");
    const states = frames.map((frame) =>
      frame
        .evaluate<unknown>(
          `parent.document.hasFocus() &&
            ("takeEarlyKeys" in globalThis || document.querySelector(".composer") !== null)`,
        )
        .catch(() => false),
    );
    return (await Promise.all(states)).some((isKeeping) => isKeeping === true);
  }

  const hasPageFocus = (): Promise<unknown> => box().evaluate("document.hasFocus()");

  async function cancelPicker(command: string): Promise<void> {
    if (inChatActions.has(command)) await workbench.runFromPicker("Chat Actions…", command);
    else await workbench.runCommand(`Inference Gateway: ${command}`);
    const { input } = workbench.quickInput;
    await input.waitFor();
    // On a busy machine, VS Code returns the focus to the page between two pickers only when the second one is open.
    while (await hasPageFocus()) {
      await input.focus();
      await workbench.page.waitForTimeout(100);
    }
    await input.press("Escape");
    await input.waitFor({ state: "hidden" });
  }

  shareWindow(
    root,
    () => ({}),
    async (window) => {
      ({ workbench } = window);
      await workbench.startChat();
    },
  );

  afterEach(async function () {
    // What a failed test typed must not fail the following tests as well.
    if (this.currentTest?.state !== "failed") return;
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: New Chat");
    await box().fill("");
  });

  it("is in the composer of a new chat, and no key typed in the meantime goes elsewhere", async () => {
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: New Chat");
    await assertTypesIntoComposer();
  });

  it("loses no key in a new chat from the moment its page exists", async () => {
    await workbench.runCommand("View: Close All Editors");
    await workbench.runCommand("Inference Gateway: New Chat");
    const keys = "abcdefghijklmnopqrstuvwxyz0123456789".repeat(3);
    let isKept = false;
    let earlier = 0;
    for (const key of keys) {
      if (!isKept) earlier += 1;
      await press(key);
      isKept ||= await isKeepingKeys();
      await workbench.page.waitForTimeout(40);
    }
    await workbench.chatView().frame.locator("textarea:focus").waitFor();
    await eventually(async () => {
      const typed = await box().inputValue();
      assert.ok(typed.endsWith(keys.slice(earlier)), `Of “${keys.slice(earlier)}”, only “${typed}” arrived.`);
      assert.ok(keys.endsWith(typed), `Keys between others are missing: ${typed}`);
    });
    assert.ok(earlier < keys.length, "The page had the focus only after the last key.");
    await box().fill("");
  });

  for (const command of ["Select Model…", "Select Tools…", "Set Response Format…"]) {
    it(`returns to the composer when “${command}” is canceled`, async () => {
      await cancelPicker(command);
      await assertTypesIntoComposer();
    });
  }

  it("returns to the composer when a model is selected", async () => {
    await workbench.runCommand("Inference Gateway: Select Model…");
    await workbench.quickInput.pick("demo-lab/slow-thinker");
    await assertTypesIntoComposer();
  });

  it("returns to its previous position when the chat settings are closed", async () => {
    await workbench.runFromPicker("Chat Actions…", "Chat Settings…");
    await workbench.chatView().frame.getByRole("dialog", { name: "Chat Settings" }).waitFor();
    await press("Escape");
    await assertTypesIntoComposer();
  });

  it("is in the composer after switching to another tab and back", async () => {
    await workbench.runCommand("File: New Untitled Text File");
    await workbench.chatView().transcript.waitFor({ state: "hidden" });
    await press("Control+PageUp");
    await assertTypesIntoComposer();
    await workbench.closeTab("Untitled-1");
  });

  it("lets the user stop a response by pressing Escape twice", async () => {
    await workbench.chatView().send("Take your time");
    await workbench.chatView().stopButton.waitFor();
    await press("Escape");
    await press("Escape");
    await workbench.chatView().frame.getByText("You stopped this response.").waitFor();
    await assertTypesIntoComposer();
  });

  for (const command of ["Compare Models…", "Open Conversation…", "Rename Conversation…"]) {
    it(`returns to the composer when “${command}” is canceled in a conversation`, async () => {
      await cancelPicker(command);
      await assertTypesIntoComposer();
    });
  }

  it("moves to the last turn and through its actions, and a fork puts the user's message into the composer", async () => {
    const { frame } = workbench.chatView();
    await box().press("Control+ArrowUp");
    await frame.locator("article.assistant:focus").waitFor();
    await press("Control+ArrowUp");
    await frame.locator("article.user:focus").waitFor();
    // The message was stopped before its first word, so its note comes before its actions.
    await press("Tab");
    await frame.getByRole("button", { name: "Include", exact: true }).and(frame.locator(":focus")).waitFor();
    await press("Tab");
    await frame.getByRole("button", { name: "Copy Message" }).and(frame.locator(":focus")).waitFor();
    await press("ArrowRight");
    await press("Enter");
    await workbench.editorTab("Take your time (2)").waitFor();
    await workbench.chatView().frame.locator("textarea:focus").waitFor();
    await eventually(async () => assert.equal(await box().inputValue(), "Take your time"));
  });

  it("is in the composer after a window reload", async () => {
    await box().fill("");
    await workbench.reload();
    await assertTypesIntoComposer();
  });
});

describe("Rendered documents", () => {
  let workbench: Workbench;

  shareWindow(
    root,
    () => ({}),
    async (window) => {
      ({ workbench } = window);
      const chat = await workbench.startChat();
      await chat.send("Hello");
      await chat.waitUntilAnswered();
    },
  );

  it("can be open next to each other: costs, server details and the connection report with its buttons", async () => {
    await workbench.runCommand("Inference Gateway: Show Costs");
    await workbench.editorTab("Costs").waitFor();
    await workbench.openContainer("Inference Gateway");
    await workbench.treeRows("GPU Servers").filter({ hasText: "trainer-08" }).click();
    await workbench.runFromPicker("Server Actions…", "Show Server Details");
    await workbench.editorTab("trainer-08").waitFor();
    await workbench.runCommand("Inference Gateway: Diagnose Connection");
    await workbench.editorTab("Connection Report").waitFor();
    const { frame } = workbench.chatView();
    await frame.getByRole("heading", { name: "Connection Report" }).waitFor();
    await frame.getByRole("link", { name: "Copy Report" }).click();
    await waitForStatus(workbench, "Report copied");
    for (const title of ["Costs", "trainer-08"]) await workbench.editorTab(title).waitFor();
  });
});
