import assert from "node:assert/strict";
import { findModalityWarning } from "../../../../src/core/compose/attachments/modalities.ts";
import { modalityQuestion } from "../../../../src/core/compose/send/sendQuestion.ts";
import { readImageFacts } from "../../../../src/core/compose/attachments/fileKind.ts";
import type { ContentPart } from "../../../../src/core/conversation/completion.ts";
import type { FromWebview } from "../../../../src/core/panel/protocol.ts";
import { mp3Bytes, wavBytes } from "../../../support/localGatewayMedia.ts";
import { give, testFile } from "../../../support/giveFiles.ts";
import { eventually } from "../../../support/eventually.ts";
import { drawImage, heldSideways } from "../../support/attachedFiles.ts";
import { ChatPageDriver, createMessage, createSnapshot } from "../../support/chatPageDriver.ts";

const omni = { id: "lab/omni", supportsImages: true, supportsAudio: true };
const blind = { id: "lab/blind", supportsImages: false, supportsAudio: false };

describe("Attachments in the composer", function () {
  let driver: ChatPageDriver;
  before(async () => {
    driver = await ChatPageDriver.start({ width: 600, height: 600 });
  });
  after(() => driver.close());
  beforeEach(async () => {
    await driver.open();
    await show();
  });
  afterEach(async () => {
    const errors = (await driver.takePosted()).filter((message) => message.type === "pageError");
    assert.deepEqual(errors, []);
    assert.deepEqual(
      driver.foreignRequests.filter((url) => !/^(?:data|blob):/.test(url)),
      [],
    );
  });

  const show = (parts: Parameters<typeof createSnapshot>[0] = {}) =>
    driver.send({
      type: "snapshot",
      snapshot: createSnapshot({
        picker: { state: "ready", models: [omni, blind], selected: omni.id },
        ...parts,
      }),
    });
  const tray = () => driver.page.getByRole("list", { name: "Attachments" });
  const item = (name: string) => tray().getByRole("listitem").filter({ hasText: name });
  const box = () => driver.page.getByRole("textbox", { name: "Message" });
  const remark = (words: string | RegExp) => driver.page.locator(".remarks").getByText(words);
  const posted = async <Type extends FromWebview["type"]>(type: Type) =>
    (await driver.takePosted()).filter(
      (message): message is Extract<FromWebview, { readonly type: Type }> => message.type === type,
    );
  const sent = async (): Promise<readonly ContentPart[]> => {
    await box().press("Enter");
    return (await posted("send")).at(-1)?.attachments ?? [];
  };
  const sizeOf = (part: ContentPart | undefined) => {
    assert.ok(part?.type === "image");
    return readImageFacts(Buffer.from(part.data, "base64"));
  };

  for (const name of ["a.png", "a.jpg", "a.webp"]) {
    it(`send a pasted image: ${name}`, async () => {
      await give(box(), "paste", [await drawImage(driver.page, name, 60, 40)]);
      await item(name)
        .getByText(/60 × 40/)
        .waitFor();
      await box().fill("Look");
      const [part] = await sent();
      assert.equal(part?.title, name);
      assert.deepEqual(sizeOf(part), {
        mediaType: part?.type === "image" ? part.mediaType : "",
        width: 60,
        height: 40,
        isAnimated: false,
      });
      await eventually(async () => assert.equal(await tray().count(), 0));
    });
  }

  it("scale a large image down to the limit before it is sent", async () => {
    await driver.send({
      type: "attachmentLimits",
      limits: { maxImageEdge: 100, maxBytes: 1_000_000, maxCount: 20 },
    });
    await give(box(), "drop", [await drawImage(driver.page, "large.png", 400, 200)]);
    await item("large.png")
      .getByText(/100 × 50/)
      .waitFor();
    const size = sizeOf((await sent())[0]);
    assert.deepEqual([size?.width, size?.height], [100, 50]);
  });

  it("rotate a photo upright and remove its metadata", async () => {
    const photo = heldSideways(await drawImage(driver.page, "photo.jpg", 60, 40));
    assert.ok(Buffer.from(photo.data, "base64").includes("SECRET PLACE"));
    await give(box(), "drop", [photo]);
    await item("photo.jpg")
      .getByText(/40 × 60/)
      .waitFor();
    const [part] = await sent();
    assert.ok(part?.type === "image" && part.mediaType === "image/jpeg");
    const bytes = Buffer.from(part.data, "base64");
    assert.ok(!bytes.includes("SECRET PLACE") && !bytes.includes("Exif"));
  });

  it("keep an animated GIF unchanged if it is small, or else send its first frame and report that", async () => {
    const bytes = Buffer.from(
      "R0lGODlhAgACAIAAAP8AAAAA/yH/C05FVFNDQVBFMi4wAwEAAAAh+QQECgAAACwAAAAAAgACAAACAoRRACH5BAQKAAAALAAAAAACAAIAAAICjFMAOw==",
      "base64",
    );
    const gif = testFile("moving.gif", "image/gif", bytes);
    await give(box(), "drop", [gif]);
    await item("moving.gif").waitFor();
    assert.deepEqual(await sent(), [
      { type: "image", mediaType: "image/gif", data: gif.data, title: "moving.gif" },
    ]);
    await driver.send({
      type: "attachmentLimits",
      limits: { maxImageEdge: 1, maxBytes: 1e6, maxCount: 20 },
    });
    await give(box(), "drop", [gif]);
    await remark(/Only the first frame of moving\.gif/).waitFor();
    const [part] = await sent();
    assert.equal(part?.type === "image" && part.mediaType, "image/png");
  });

  it("keep wav and mp3 files unchanged, with their lengths", async () => {
    const wav = testFile("note.wav", "", wavBytes(3, 8000));
    const mp3 = testFile("song.mp3", "", mp3Bytes(100));
    await give(box(), "drop", [wav, mp3]);
    await item("note.wav")
      .getByText(/0:03 · wav, 48 kB/)
      .waitFor();
    await item("song.mp3")
      .getByText(/0:03 · mp3, 42 kB/)
      .waitFor();
    assert.deepEqual(await sent(), [
      { type: "audio", format: "wav", data: wav.data, title: "note.wav" },
      { type: "audio", format: "mp3", data: mp3.data, title: "song.mp3" },
    ]);
  });

  it("can be played and stopped if they are audio", async () => {
    await give(box(), "drop", [testFile("note.wav", "audio/wav", wavBytes(30, 8000))]);
    await tray().getByRole("button", { name: "Play note.wav" }).click();
    await tray().getByRole("button", { name: "Pause note.wav" }).click();
    await tray().getByRole("button", { name: "Play note.wav" }).waitFor();
    await eventually(async () => assert.equal(await tray().getByText("can't be played").count(), 0));
  });

  it("show why a file can't be attached", async () => {
    const broken = (await drawImage(driver.page, "broken.png", 30, 30)).data.slice(0, 60);
    await driver.send({
      type: "attachmentLimits",
      limits: { maxImageEdge: 0, maxBytes: 9000, maxCount: 20 },
    });
    await give(box(), "drop", [
      testFile("paper.png", "image/png", Buffer.from("%PDF-1.7 pretending")),
      testFile("words.txt", "text/plain", Buffer.from("hello\0 and no text")),
      { name: "broken.png", type: "image/png", data: `${broken}` },
      testFile("none.wav", "audio/wav", new Uint8Array()),
      testFile("long.wav", "audio/wav", wavBytes(1, 8000)),
      testFile("damaged.mp3", "audio/mpeg", Buffer.from("ID3\x04\0\0\0\0\0\0 and no more")),
    ]);
    await remark(/paper\.png is a PDF file/).waitFor();
    await remark(/words\.txt isn't a supported file/).waitFor();
    await remark(/broken\.png can't be opened/).waitFor();
    await remark("none.wav is empty.").waitFor();
    await remark(/long\.wav is too large: 16 kB \(maximum 9 kB\)/).waitFor();
    await remark(/damaged\.mp3 can't be read as mp3/).waitFor();
    await eventually(async () => assert.equal(await tray().count(), 0));
  });

  it("can come from outside the workspace, as text in any encoding up to a maximum size", async () => {
    await driver.takePosted();
    await give(box(), "drop", [
      testFile("notes.md", "", Buffer.from("# Grüße\n")),
      testFile("wide.txt", "text/plain", Buffer.from("\ufeffwide", "utf16le")),
      testFile("empty.txt", "text/plain", new Uint8Array()),
      testFile("huge.log", "text/plain", Buffer.alloc(1_000_001, "a")),
    ]);
    await remark("empty.txt is empty.").waitFor();
    await remark(/huge\.log is too large: 1 MB \(maximum 1 MB\)/).waitFor();
    assert.deepEqual(await posted("attachText"), [
      { type: "attachText", title: "notes.md", text: "# Grüße\n" },
      { type: "attachText", title: "wide.txt", text: "wide" },
    ]);
  });

  it("are limited in number, with a note about those left out", async () => {
    await driver.send({
      type: "attachmentLimits",
      limits: { maxImageEdge: 0, maxBytes: 9000, maxCount: 2 },
    });
    const picture = await drawImage(driver.page, "a.png", 20, 20);
    await give(
      box(),
      "paste",
      [1, 2, 3].map((number) => ({ ...picture, name: `${number}.png` })),
    );
    await item("2.png").waitFor();
    await remark(/1 file was skipped\. A message can have up to 2/).waitFor();
    await eventually(async () => assert.equal(await tray().getByRole("listitem").count(), 2));
  });

  it("don't include the image of pasted text that also contains one", async () => {
    const picture = await drawImage(driver.page, "image.png", 20, 20);
    await give(box(), "paste", [picture], { "text/plain": "A\tB" });
    await give(box(), "paste", [picture]);
    await item("Image").waitFor();
    await eventually(async () => assert.equal(await tray().getByRole("listitem").count(), 1));
  });

  it("can come from the Explorer by address, and show what the host reads", async () => {
    await driver.takePosted();
    await give(box(), "drop", [], {
      "text/uri-list": "file:///w/a.png",
      "application/vnd.code.uri-list": "file:///w/a.png\r\nvscode-remote://host/w/b.wav",
    });
    const uris = ["file:///w/a.png", "vscode-remote://host/w/b.wav"];
    assert.deepEqual(await posted("readFiles"), [{ type: "readFiles", uris }]);
    const { data } = await drawImage(driver.page, "a.png", 30, 20);
    await driver.send({
      type: "files",
      files: [{ name: "a.png", data }],
      problems: ["b.wav couldn't be read."],
    });
    await item("a.png").waitFor();
    await remark("b.wav couldn't be read.").waitFor();
  });

  it("can be selected in the host's file dialog", async () => {
    await driver.page.getByRole("button", { name: /^Attach files/ }).click();
    assert.deepEqual(await posted("pickFiles"), [{ type: "pickFiles" }]);
  });

  it("can be enlarged with Enter and closed with Esc, which restores the focus", async () => {
    await give(box(), "paste", [await drawImage(driver.page, "a.png", 60, 40)]);
    const open = tray().getByRole("button", { name: /^Enlarge a\.png/ });
    await open.press("Enter");
    const dialog = driver.page.getByRole("dialog", { name: "a.png" });
    await dialog.getByRole("img", { name: "a.png" }).waitFor();
    await eventually(async () =>
      assert.equal(await dialog.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth), 60),
    );
    await driver.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await eventually(async () =>
      assert.ok(await open.evaluate((element) => element === document.activeElement)),
    );
  });

  it("can be recorded on the host, with the time shown, until stopped or canceled", async () => {
    await driver.page.getByRole("button", { name: "Record audio" }).click();
    assert.deepEqual(await posted("recording"), [{ type: "recording", command: "start" }]);
    await driver.send({ type: "recording", recording: { maxSeconds: 120, note: "This records elsewhere." } });
    const bar = driver.page.getByRole("group", { name: "Recording" });
    await bar.getByText("This records elsewhere.").waitFor();
    await driver.send({ type: "recording", recording: { maxSeconds: 120, elapsedMs: 65_000 } });
    await bar.getByText("1:05 of 2:00").waitFor();
    await driver.page.keyboard.press("Enter");
    await bar.getByRole("button", { name: "Cancel" }).click();
    const commands = (await posted("recording")).map(({ command }) => command);
    assert.deepEqual(commands, ["stop", "cancel"]);
    await driver.send({ type: "recording", problem: "Only silence was recorded." });
    await remark("Only silence was recorded.").waitFor();
    await eventually(async () => {
      assert.equal(await bar.count(), 0);
      assert.ok(await box().evaluate((element) => element === document.activeElement));
    });
  });

  it("can be inserted as text, which can be undone and doesn't replace what was typed", async () => {
    await box().fill("Note: ");
    await driver.send({ type: "recording", recording: { maxSeconds: 120, elapsedMs: 2_000 } });
    const bar = driver.page.getByRole("group", { name: "Recording" });
    await posted("recording");
    await bar.getByRole("button", { name: "Insert as Text" }).click();
    assert.deepEqual(await posted("recording"), [{ type: "recording", command: "transcribe" }]);
    await driver.send({ type: "recording", recording: { maxSeconds: 0, isTranscribing: true } });
    await bar.getByText("Transcribing…").waitFor();
    await eventually(async () =>
      assert.ok(await bar.getByRole("button", { name: "Insert as Text" }).isHidden()),
    );
    await driver.send({ type: "recording" }, { type: "compose", text: "buy milk", parts: [] });
    await eventually(async () => assert.equal(await box().inputValue(), "Note: buy milk"));
    await box().press("ControlOrMeta+z");
    await eventually(async () => assert.equal(await box().inputValue(), "Note: "));
    await box().fill("");
  });

  it("can be removed with Delete, which moves the focus to the next one and finally to the text field", async () => {
    const picture = await drawImage(driver.page, "a.png", 20, 20);
    await give(box(), "paste", [picture, { ...picture, name: "b.png" }]);
    await item("b.png").waitFor();
    await tray()
      .getByRole("button", { name: /^Enlarge a\.png/ })
      .press("Delete");
    const focused = () => driver.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await eventually(async () => assert.match((await focused()) ?? "", /^Enlarge b\.png/));
    await driver.page.keyboard.press("Backspace");
    await eventually(async () => {
      assert.equal(await focused(), "Message");
      assert.equal(await tray().count(), 0);
    });
  });

  it("are reported to the host when they change, but not for each key", async () => {
    await driver.takePosted();
    await give(box(), "paste", [await drawImage(driver.page, "a.png", 20, 20)]);
    await item("a.png").waitFor();
    await box().fill("words");
    await driver.page.waitForFunction(() =>
      globalThis.posted.some((message) => message.type === "draft" && message.text === "words"),
    );
    const drafts = await posted("draft");
    assert.deepEqual(
      drafts.map(({ text, attachments }) => [text, attachments?.length]),
      [
        ["", 1],
        ["words", undefined],
      ],
    );
    await item("a.png").getByRole("button", { name: "Remove a.png" }).click();
    assert.deepEqual(await posted("draft"), [{ type: "draft", text: "words", attachments: [] }]);
  });

  it("are restored with the draft, a text by its name", async () => {
    const { data } = await drawImage(driver.page, "a.png", 30, 20);
    const attachments: readonly ContentPart[] = [
      { type: "image", mediaType: "image/png", data, title: "a.png" },
      { type: "text", text: "const a = 1;", title: "src/a.ts:1-9" },
    ];
    await show({ conversationId: "another", draft: { text: "", attachments } });
    await item("a.png")
      .getByText(/30 × 20/)
      .waitFor();
    await tray()
      .getByRole("button", { name: /^Open src\/a\.ts:1-9, ≈ \d+ tokens/ })
      .click();
    assert.deepEqual(await posted("openContext"), [
      { type: "openContext", title: "src/a.ts:1-9", text: "const a = 1;" },
    ]);
    assert.deepEqual(await sent(), attachments);
  });

  it("cause a warning before sending if the model doesn't support images, with an offer of another model", async () => {
    await give(box(), "paste", [await drawImage(driver.page, "a.png", 20, 20)]);
    await item("a.png").waitFor();
    const notice = driver.page.getByText("lab/blind doesn't support image input.");
    await eventually(async () => assert.equal(await notice.count(), 0));
    await driver.send({
      type: "picker",
      picker: { state: "ready", models: [omni, blind], selected: blind.id },
    });
    await notice.waitFor();
    const select = driver.page.getByRole("button", { name: "Select a Compatible Model" });
    await select.click();
    assert.deepEqual(await posted("pickModel"), [{ type: "pickModel", modalities: ["image"] }]);
    // The host holds the message and asks. The same sentence must be on the page only once.
    assert.equal((await sent())?.length, 1);
    await eventually(async () => assert.equal(await notice.count(), 0));
    const warning = findModalityWarning(["image"], blind.id, [omni, blind]);
    assert.ok(warning);
    const held = { questionId: 3, question: modalityQuestion(warning), isFromComposer: true };
    await driver.send({ type: "sendState", held });
    await item("a.png").waitFor();
    const card = driver.page.getByRole("alertdialog", { name: "Message on hold" });
    await card.getByText("lab/blind doesn't support image input.").waitFor();
    await eventually(async () => assert.equal(await notice.filter({ visible: true }).count(), 1));
    const first = card.getByRole("button", { name: "Select a Compatible Model" });
    await eventually(async () =>
      assert.ok(await first.evaluate((element) => element === document.activeElement)),
    );
    await card.getByRole("button", { name: "Send Anyway" }).click();
    assert.deepEqual(await posted("answerSend"), [{ type: "answerSend", questionId: 3, choice: "send" }]);
  });

  it("cause a warning if the model doesn't support images in earlier messages", async () => {
    const { data } = await drawImage(driver.page, "a.png", 20, 20);
    const question = createMessage({
      id: "q",
      role: "user",
      text: "Look",
      attachments: [{ type: "image", mediaType: "image/png", data }],
    });
    const picker = { state: "ready", models: [omni, blind], selected: blind.id } as const;
    await show({ messages: [question], picker });
    await driver.page.getByText("lab/blind doesn't support the images in this conversation.").waitFor();
  });

  it("cause no warning before the list of models is loaded", async () => {
    await show({ picker: { state: "loading", models: [], selected: blind.id } });
    await give(box(), "paste", [await drawImage(driver.page, "a.png", 20, 20)]);
    await item("a.png").waitFor();
    await eventually(async () =>
      assert.equal(await driver.page.getByText("lab/blind sees pictures").count(), 0),
    );
    await driver.send({ type: "picker", picker: { state: "ready", models: [], selected: blind.id } });
    await driver.page.getByText("lab/blind may not support image input.").waitFor();
  });
});
