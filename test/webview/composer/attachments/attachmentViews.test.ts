import assert from "node:assert/strict";
import type { ContentPart } from "../../../../src/core/conversation/completion.ts";
import { wavBytes } from "../../../support/localGatewayMedia.ts";
import { eventually } from "../../../support/eventually.ts";
import { drawImage } from "../../support/attachedFiles.ts";
import { createMessage, createSnapshot } from "../../support/chatPageDriver.ts";
import { testChatPage } from "../../support/pageTests.ts";

describe("An attachment in a message", function () {
  const driver = testChatPage({ width: 600, height: 500 });

  const show = async (...sent: readonly (readonly ContentPart[])[]) => {
    const messages = sent.map((attachments, index) =>
      createMessage({ id: `q${index}`, role: "user", text: "", attachments }),
    );
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ messages }) });
  };
  const log = () => driver.page.getByRole("log");
  const picture = async (name: string): Promise<ContentPart> => {
    const { data } = await drawImage(driver.page, name, 400, 300);
    return { type: "image", mediaType: "image/png", data, title: name };
  };

  it("is shown as an image that can be enlarged with a click", async () => {
    await show([await picture("cat.png")]);
    const button = log().getByRole("button", { name: /^Enlarge cat\.png, PNG, 400 × 300/ });
    await button.locator("img[src]").waitFor();
    await button.click();
    const image = driver.page.getByRole("dialog", { name: "cat.png" }).getByRole("img");
    await eventually(async () =>
      assert.equal(await image.evaluate((element: HTMLImageElement) => element.naturalWidth), 400),
    );
    await driver.page.getByRole("button", { name: "Close" }).click();
    await eventually(async () => assert.equal(await driver.page.getByRole("dialog").count(), 0));
  });

  it("is shown as a player with name, length and size", async () => {
    const data = Buffer.from(wavBytes(65, 8000)).toString("base64");
    await show([{ type: "audio", format: "wav", data, title: "note.wav" }]);
    const player = log().getByRole("group", { name: "note.wav, wav, 1:05, 1 MB" });
    await player.getByRole("slider", { name: "Position" }).press("End");
    await player.getByText("1:05 / 1:05").waitFor();
    await player.getByRole("button", { name: "Play note.wav" }).waitFor();
  });

  it("stops playing when another one plays or its message is removed", async () => {
    const data = Buffer.from(wavBytes(60, 8000)).toString("base64");
    const sound = (title: string): ContentPart => ({ type: "audio", format: "wav", data, title });
    await show([sound("one.wav"), sound("two.wav")]);
    await log().getByRole("button", { name: "Play one.wav" }).click();
    await log().getByRole("button", { name: "Play two.wav" }).click();
    await log().getByRole("button", { name: "Play one.wav" }).waitFor();
    const audio = await log().locator("audio").nth(1).elementHandle();
    await driver.page.waitForFunction(() => document.querySelectorAll("audio")[1]?.paused === false);
    await driver.send({ type: "snapshot", snapshot: createSnapshot({ conversationId: "other" }) });
    await driver.page.waitForFunction(
      (element) => element instanceof HTMLAudioElement && element.paused,
      audio,
    );
  });

  it("is shown as text by its name, and opens with a click", async () => {
    await show([{ type: "text", text: "<b>const</b> a = 1;", title: "src/a.ts:1-9" }]);
    await log()
      .getByRole("button", { name: /^Show src\/a\.ts:1-9, ≈ \d+ tokens/ })
      .click();
    await driver.page.getByRole("dialog").getByText("<b>const</b> a = 1;").waitFor();
  });

  it("is not shown if it can't be decoded", async () => {
    await show([
      { type: "image", mediaType: "image/png", data: "not base64!" },
      { type: "image", mediaType: "image/svg+xml", data: btoa("<svg onload='__pwned = 1'/>") },
      { type: "audio", format: "wav", data: "AAAA" },
    ]);
    await log().locator(".codicon-file-media").nth(1).waitFor();
    await log().getByRole("button", { name: "Play Audio" }).click();
    await log().getByText("can't be played").waitFor();
    assert.equal(await driver.page.evaluate(() => globalThis.__pwned), undefined);
  });

  it("is decoded only when it is close to the visible area", async () => {
    const part = await picture("cat.png");
    await show(...Array.from({ length: 30 }, () => [part]));
    await log().locator("img[src]").first().waitFor();
    await driver.frames();
    const decoded = await log().locator("img[src]").count();
    assert.ok(decoded < 15, String(decoded));
    await log().getByRole("article").first().scrollIntoViewIfNeeded();
    await log().getByRole("article").first().locator("img[src]").waitFor();
  });
});
