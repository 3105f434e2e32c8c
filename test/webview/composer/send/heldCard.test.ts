import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import type { HeldMessage } from "../../../../src/core/compose/send/sendQuestion.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

const held: HeldMessage = {
  questionId: 7,
  isFromComposer: true,
  question: {
    kind: "secrets",
    message: "This message appears to contain a secret. Nothing has been sent yet.",
    facts: [{ label: "GitHub token", value: "ghp_…Ux in your message" }],
    choices: [
      { id: "mask", label: "Mask and Send" },
      { id: "send", label: "Send Anyway" },
      { id: "cancel", label: "Cancel" },
    ],
  },
};

describe("A message on hold", function () {
  const driver = testChatPage({
    width: 600,
    height: 500,
    prepare: async (): Promise<void> => {
      await driver.send({ type: "snapshot", snapshot: createSnapshot() });
      await box().fill("my key");
      await box().press("Enter");
      await driver.takePosted();
      await driver.send({ type: "sendState", held });
    },
  });

  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const card = () => driver.page.getByRole("alertdialog", { name: "Message on hold" });
  const answers = async () => (await driver.takePosted()).filter(({ type }) => type === "answerSend");

  it("returns to the composer with the findings, and the focus is on the safest choice", async () => {
    await eventually(async () => {
      assert.equal(await box().inputValue(), "my key");
      assert.ok(await card().getByText("ghp_…Ux in your message").isVisible());
    });
    const first = card().getByRole("button", { name: "Mask and Send" });
    await eventually(async () =>
      assert.ok(await first.evaluate((element) => element === document.activeElement)),
    );
    await driver.page.keyboard.press("Enter");
    assert.deepEqual(await answers(), [{ type: "answerSend", questionId: 7, choice: "mask" }]);
  });

  it("leaves the composer when it is sent after all", async () => {
    await card().getByRole("button", { name: "Send Anyway" }).click();
    await driver.send({ type: "sendState", composer: "clear" });
    await eventually(async () => {
      assert.equal(await card().count(), 0);
      assert.equal(await box().inputValue(), "");
    });
  });

  it("leaves what the user types after “Send Anyway” in the composer", async () => {
    await card().getByRole("button", { name: "Send Anyway" }).click();
    await box().fill("the next question");
    await driver.send({ type: "sendState", composer: "clear" });
    await driver.send({ type: "sendState", held: { ...held, questionId: 9, isFromComposer: false } });
    await eventually(async () => assert.equal(await card().count(), 1));
    assert.equal(await box().inputValue(), "the next question");
  });

  it("stays editable when the user cancels or continues typing", async () => {
    await driver.page.keyboard.press("Escape");
    await eventually(async () => {
      assert.equal(await card().count(), 0);
      assert.equal(await box().inputValue(), "my key");
    });
    await driver.send({ type: "sendState", held });
    await box().fill("something else");
    await eventually(async () => assert.equal(await card().count(), 0));
    const choices = (await answers()).map((answer) => answer.type === "answerSend" && answer.choice);
    assert.deepEqual(choices, ["cancel", "cancel"]);
  });

  it("comes back in front of what the user has typed in the meantime, if it can't be sent", async () => {
    await driver.send({ type: "sendState" });
    await box().fill("newer");
    await driver.takePosted();
    await driver.send({ type: "sendState", composer: "restore" });
    await eventually(async () => assert.equal(await box().inputValue(), "my key\nnewer"));
    const draft = { type: "draft", text: "my key\nnewer", attachments: [] };
    assert.deepEqual(
      (await driver.takePosted()).findLast(({ type }) => type === "draft"),
      draft,
    );
  });

  it("leaves the composer unchanged if it came from elsewhere", async () => {
    await driver.send({ type: "sendState" });
    await driver.send({ type: "sendState", held: { ...held, questionId: 8, isFromComposer: false } });
    await box().fill("written meanwhile");
    await eventually(async () => assert.equal(await card().count(), 1));
    await driver.send({ type: "sendState" });
    await eventually(async () => {
      assert.equal(await card().count(), 0);
      assert.equal(await box().inputValue(), "written meanwhile");
    });
  });

  it("raises its question again on a page that was rebuilt, above the draft that contains it", async () => {
    await driver.open();
    const draft = { text: "my key", attachments: [] };
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ draft, held }) });
    await eventually(async () => {
      assert.ok(await card().getByText("ghp_…Ux in your message").isVisible());
      assert.equal(await box().inputValue(), "my key");
    });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ draft }) });
    await eventually(async () => assert.equal(await card().count(), 0));
  });

  it("returns to an empty composer if it is an edited message that could not be sent", async () => {
    await driver.send({ type: "sendState", composer: "clear" });
    const question = createMessage({ id: "q", role: "user", text: "Look" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question] }) });
    await driver.page.getByRole("button", { name: "Edit Message" }).click();
    const editor = driver.page.getByRole("textbox", { name: "Edit Message" });
    await editor.fill("Look again");
    await editor.press("Enter");
    await driver.send({ type: "sendState", composer: "restore" });
    await eventually(async () => assert.equal(await box().inputValue(), "Look again"));
  });

  it("isn't lost if it is an edited message that is canceled on a page that was rebuilt in the meantime", async () => {
    await driver.open();
    await driver.send({ type: "snapshot", snapshot: createSnapshot() });
    const attachments = [{ type: "text", title: "plan.md", text: "A plan." }] as const;
    const restored = { text: "Look again", attachments };
    await driver.send({ type: "sendState", composer: "restore", restored });
    await eventually(async () => assert.equal(await box().inputValue(), "Look again"));
    await driver.page.locator(".tray").getByText("plan.md").waitFor();
  });

  it("isn't lost if it is an edited message that could not be sent while the composer has a draft", async () => {
    await driver.send({ type: "sendState", composer: "clear" });
    const question = createMessage({ id: "q", role: "user", text: "Look" });
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages: [question] }) });
    await box().fill("a draft");
    await driver.page.getByRole("button", { name: "Edit Message" }).click();
    const editor = driver.page.getByRole("textbox", { name: "Edit Message" });
    await editor.fill("Look again");
    await editor.press("Enter");
    await driver.send({ type: "sendState", composer: "restore" });
    await eventually(async () => assert.equal(await box().inputValue(), "Look again\na draft"));
  });
});
