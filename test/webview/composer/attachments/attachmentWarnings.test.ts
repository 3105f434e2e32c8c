import assert from "node:assert/strict";
import { findModalityWarning } from "../../../../src/core/compose/attachments/modalities.ts";
import { modalityQuestion } from "../../../../src/core/compose/send/sendQuestion.ts";
import { give } from "../../../support/giveFiles.ts";
import { eventually } from "../../../support/eventually.ts";
import { drawImage } from "../../support/attachedFiles.ts";
import { createMessage } from "../../support/chatPageDriver.ts";
import { blind, omni, openAttachmentComposer } from "../../support/attachmentComposer.ts";

describe("Attachments in the composer", () => {
  const composer = openAttachmentComposer();
  const { show, item, box, posted, sent } = composer;

  it("cause a warning before sending if the model doesn't support images, with an offer of another model", async () => {
    await give(box(), "paste", [await drawImage(composer.page, "a.png", 20, 20)]);
    await item("a.png").waitFor();
    const notice = composer.page.getByText("lab/blind doesn't support image input.");
    await eventually(async () => assert.equal(await notice.count(), 0));
    await composer.send({
      type: "picker",
      picker: { state: "ready", models: [omni, blind], selected: blind.id },
    });
    await notice.waitFor();
    const select = composer.page.getByRole("button", { name: "Select a Compatible Model" });
    await select.click();
    assert.deepEqual(await posted("pickModel"), [{ type: "pickModel", modalities: ["image"] }]);
    // The host holds the message and asks. The same sentence must be on the page only once.
    assert.equal((await sent())?.length, 1);
    await eventually(async () => assert.equal(await notice.count(), 0));
    const warning = findModalityWarning(["image"], blind.id, [omni, blind]);
    assert.ok(warning);
    const held = { questionId: 3, question: modalityQuestion(warning), isFromComposer: true };
    await composer.send({ type: "sendState", held });
    await item("a.png").waitFor();
    const card = composer.page.getByRole("alertdialog", { name: "Message on hold" });
    await card.getByText("lab/blind doesn't support image input.").waitFor();
    await eventually(async () => assert.equal(await notice.filter({ visible: true }).count(), 1));
    const first = card.getByRole("button", { name: "Select a Compatible Model" });
    await eventually(async () =>
      assert.ok(await first.evaluate((element) => element === document.activeElement)),
    );
    await card.getByRole("button", { name: "Send Without Images" }).click();
    assert.deepEqual(await posted("answerSend"), [{ type: "answerSend", questionId: 3, choice: "send" }]);
  });

  it("cause a warning if the model doesn't support images in earlier messages", async () => {
    const { data } = await drawImage(composer.page, "a.png", 20, 20);
    const question = createMessage({
      id: "q",
      role: "user",
      text: "Look",
      attachments: [{ type: "image", mediaType: "image/png", data }],
    });
    const picker = { state: "ready", models: [omni, blind], selected: blind.id } as const;
    await show({ messages: [question], picker });
    await composer.page.getByText("lab/blind doesn't support the images in this conversation.").waitFor();
  });

  it("cause no warning before the list of models is loaded", async () => {
    await show({ picker: { state: "loading", models: [], selected: blind.id } });
    await give(box(), "paste", [await drawImage(composer.page, "a.png", 20, 20)]);
    await item("a.png").waitFor();
    await eventually(async () =>
      assert.equal(await composer.page.getByText(/lab\/blind .* support image input/).count(), 0),
    );
    await composer.send({ type: "picker", picker: { state: "ready", models: [], selected: blind.id } });
    await composer.page.getByText("lab/blind may not support image input.").waitFor();
  });
});
