import assert from "node:assert/strict";
import { eventually } from "../../../support/eventually.ts";
import { openAttachmentComposer } from "../../support/attachmentComposer.ts";

describe("Recordings in the composer", () => {
  const composer = openAttachmentComposer();
  const { box, remark, posted } = composer;

  it("can be recorded on the host, with the time shown, until stopped or canceled", async () => {
    await composer.page.getByRole("button", { name: "Record audio" }).click();
    assert.deepEqual(await posted("recording"), [{ type: "recording", command: "start" }]);
    await composer.send({
      type: "recording",
      recording: { maxSeconds: 120, note: "This records elsewhere." },
    });
    const bar = composer.page.getByRole("group", { name: "Recording" });
    await bar.getByText("This records elsewhere.").waitFor();
    await composer.send({ type: "recording", recording: { maxSeconds: 120, elapsedMs: 65_000 } });
    // The time goes on, whenever the test gets to look at it.
    await bar.getByText(/^1:(?:0[5-9]|[1-5]\d) of 2:00$/).waitFor();
    await composer.page.keyboard.press("Enter");
    await bar.getByRole("button", { name: "Cancel" }).click();
    const commands = (await posted("recording")).map(({ command }) => command);
    assert.deepEqual(commands, ["stop", "cancel"]);
    await composer.send({ type: "recording", problem: "Only silence was recorded." });
    await remark("Only silence was recorded.").waitFor();
    await eventually(async () => {
      assert.equal(await bar.count(), 0);
      assert.ok(await box().evaluate((element) => element === document.activeElement));
    });
  });

  it("can be inserted as text, which can be undone and doesn't replace what was typed", async () => {
    await box().fill("Note: ");
    await composer.send({ type: "recording", recording: { maxSeconds: 120, elapsedMs: 2_000 } });
    const bar = composer.page.getByRole("group", { name: "Recording" });
    await posted("recording");
    await bar.getByRole("button", { name: "Insert as Text" }).click();
    assert.deepEqual(await posted("recording"), [{ type: "recording", command: "transcribe" }]);
    await composer.send({ type: "recording", recording: { maxSeconds: 0, isTranscribing: true } });
    await bar.getByText("Transcribing…").waitFor();
    await eventually(async () =>
      assert.ok(await bar.getByRole("button", { name: "Insert as Text" }).isHidden()),
    );
    await composer.send({ type: "recording" }, { type: "compose", text: "buy milk", parts: [] });
    await eventually(async () => assert.equal(await box().inputValue(), "Note: buy milk"));
    await box().press("ControlOrMeta+z");
    await eventually(async () => assert.equal(await box().inputValue(), "Note: "));
    await box().fill("");
  });
});
