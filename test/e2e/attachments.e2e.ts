import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Locator } from "playwright-core";
import { TestWindow } from "../host/testWindow.ts";
import type { Workbench } from "../host/workbench.ts";
import { give, testFile } from "../support/giveFiles.ts";
import { mp3Bytes, wavBytes } from "../support/localGatewayMedia.ts";
import { createImage } from "../support/image.ts";
import { eventually } from "../support/eventually.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("Images and audio in VS Code", () => {
  let window: TestWindow;
  let workbench: Workbench;
  let folder: string;

  const chat = () => workbench.chatView();
  const tray = (): Locator => chat().frame.getByRole("region").getByRole("list", { name: "Attachments" });
  const item = (name: string | RegExp): Locator => tray().getByRole("listitem").filter({ hasText: name });
  const button = (name: string | RegExp): Locator => chat().frame.getByRole("button", { name });

  async function selectModel(id: string): Promise<void> {
    await button(/^Model:/).click();
    await workbench.quickInput.pick(id);
    await button(`Model: ${id}`).waitFor();
  }

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), "attachments-"));
    window = await TestWindow.open({
      folder,
      extension: root,
    });
    workbench = window.workbench;
    await workbench.startChat();
  });

  after(() => window.close());

  afterEach(async function () {
    await window.reportFailure(this.currentTest);
  });

  it("are sent to the model unchanged", async () => {
    await give(chat().messageBox, "paste", [testFile("grey.png", "image/png", createImage(60, 40))]);
    await give(chat().messageBox, "drop", [testFile("note.wav", "audio/wav", wavBytes(3, 8000))]);
    await item("grey.png").waitFor();
    await item("note.wav").waitFor();
    await chat().send("What is this?");
    await chat().lastArticle.getByText("image: PNG, 60 × 40 pixels").waitFor();
    await chat().lastArticle.getByText("audio: wav").waitFor();
    await chat().waitUntilAnswered();
  });

  it("are shown in the message, and can be enlarged and played", async () => {
    const question = chat().articles.first();
    await question.getByRole("button", { name: /^Enlarge grey\.png/ }).click();
    const image = chat().frame.getByRole("dialog", { name: "grey.png" }).getByRole("img");
    await image.waitFor();
    await eventually(async () =>
      assert.equal(
        await image.evaluate((element: { readonly naturalWidth?: number }) => element.naturalWidth),
        60,
      ),
    );
    await workbench.page.keyboard.press("Escape");
    await question.getByRole("button", { name: "Play note.wav" }).click();
    await question.getByRole("button", { name: "Pause note.wav" }).click();
  });

  it("are selected in VS Code's file dialog, on the machine of the workspace", async () => {
    writeFileSync(join(folder, "song.mp3"), mp3Bytes(100));
    writeFileSync(join(folder, "words.txt"), "words");
    await button(/^Attach files/).click();
    await workbench.quickInput.pick("song.mp3");
    await item("song.mp3")
      .getByText(/0:03 · mp3/)
      .waitFor();
  });

  it("are converted if models don't accept the audio as it is", async () => {
    const bytes = readFileSync(join(root, "test/fixtures/sounds/tone.opus"));
    await give(chat().messageBox, "drop", [testFile("tone.opus", "audio/ogg", bytes)]);
    await item("tone.opus")
      .getByText(/0:01 · wav/)
      .waitFor();
  });

  it("aren't sent if the model doesn't support them, and the picker lists a compatible model first", async () => {
    await selectModel("demo-lab/slow-thinker");
    await chat().frame.getByText("demo-lab/slow-thinker doesn't support audio input.").waitFor();
    await chat().messageBox.fill("Listen");
    await chat().messageBox.press("Enter");
    await button("Select a Compatible Model").click();
    const [first] = await workbench.quickInput.labels();
    assert.equal(first, "demo-lab/echo-omni");
    await workbench.quickInput.pick("demo-lab/echo-omni");
    await button("Select a Compatible Model").waitFor({ state: "hidden" });
    // The model is selected by the host, which has handled the message before.
    assert.equal(await chat().articles.count(), 2);
  });

  it("are restored in the draft after a window reload, and cleared when the message is sent", async () => {
    await workbench.reload();
    await item("song.mp3").waitFor();
    await item("tone.opus").waitFor();
    await eventually(async () => assert.equal(await chat().messageBox.inputValue(), "Listen"));
    await button("Start Local Gateway").click();
    await button("Start Local Gateway").waitFor({ state: "hidden" });
    await chat().sendButton.click();
    await chat().lastArticle.getByText("audio: mp3").waitFor();
    await chat().waitUntilAnswered();
    await tray().waitFor({ state: "hidden" });
    await workbench.reload();
    await chat().articles.nth(3).waitFor();
    assert.equal(await tray().count(), 0);
  });
});
