import assert from "node:assert/strict";
import { readImageFacts } from "../../../../src/core/conversation/fileKind.ts";
import type { ContentPart } from "../../../../src/core/conversation/completion.ts";
import { mp3Bytes, wavBytes } from "../../../support/localGatewayMedia.ts";
import { give, testFile } from "../../../support/giveFiles.ts";
import { eventually } from "../../../support/eventually.ts";
import { drawImage, heldSideways } from "../../support/attachedFiles.ts";
import { openAttachmentComposer } from "../../support/attachmentComposer.ts";

describe("Attachments in the composer", () => {
  const composer = openAttachmentComposer();
  const { show, tray, item, box, remark, posted, sent } = composer;
  const sizeOf = (part: ContentPart | undefined) => {
    assert.ok(part?.type === "image");
    return readImageFacts(Buffer.from(part.data, "base64"));
  };

  for (const name of ["a.png", "a.jpg", "a.webp"]) {
    it(`send a pasted image: ${name}`, async () => {
      await give(box(), "paste", [await drawImage(composer.page, name, 60, 40)]);
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
        mayMove: false,
      });
      await eventually(async () => assert.equal(await tray().count(), 0));
    });
  }

  it("scale a large image down to the limit before it is sent", async () => {
    await give(box(), "drop", [await drawImage(composer.page, "large.png", 4096, 100)]);
    await item("large.png")
      .getByText(/2,048 × 50/)
      .waitFor();
    const size = sizeOf((await sent())[0]);
    assert.deepEqual([size?.width, size?.height], [2048, 50]);
  });

  it("rotate a photo upright and remove its metadata", async () => {
    const photo = heldSideways(await drawImage(composer.page, "photo.jpg", 60, 40));
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

  it("keep a GIF unchanged if it is small, or else send its first frame and report that", async () => {
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
    // The width of its canvas, which is more than the limit.
    bytes.writeUInt16LE(4096, 6);
    await give(box(), "drop", [testFile("moving.gif", "image/gif", bytes)]);
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
    const broken = (await drawImage(composer.page, "broken.png", 30, 30)).data.slice(0, 60);
    await give(box(), "drop", [
      testFile("paper.png", "image/png", Buffer.from("%PDF-1.7 pretending")),
      testFile("words.txt", "text/plain", Buffer.from("hello\0 and no text")),
      { name: "broken.png", type: "image/png", data: `${broken}` },
      testFile("none.wav", "audio/wav", new Uint8Array()),
      testFile("long.wav", "audio/wav", wavBytes(700, 8000)),
      testFile("damaged.mp3", "audio/mpeg", Buffer.from("ID3\x04\0\0\0\0\0\0 and no more")),
    ]);
    await remark(/paper\.png is a PDF file/).waitFor();
    await remark(/words\.txt isn't a supported file/).waitFor();
    await remark(/broken\.png can't be opened/).waitFor();
    await remark("none.wav is empty.").waitFor();
    await remark(/long\.wav is too large: 11 MB \(maximum 10 MB\)/).waitFor();
    await remark(/damaged\.mp3 can't be read as mp3/).waitFor();
    await eventually(async () => assert.equal(await tray().count(), 0));
  });

  it("can come from outside the workspace, as text in any encoding up to a maximum size", async () => {
    await composer.takePosted();
    await give(box(), "drop", [
      testFile("notes.md", "", Buffer.from("# Grüße\n")),
      testFile("wide.txt", "text/plain", Buffer.from("\ufeffwide", "utf16le")),
      testFile("empty.txt", "text/plain", new Uint8Array()),
      testFile("huge.log", "text/plain", Buffer.alloc(1_000_001, "a")),
      testFile("photo.png", "image/png", Buffer.from("<!doctype html><title>404</title>")),
    ]);
    await remark(/photo\.png contains text instead of an image or audio/).waitFor();
    await remark("empty.txt is empty.").waitFor();
    await remark(/huge\.log is too large: 1 MB \(maximum 1 MB\)/).waitFor();
    assert.deepEqual(await posted("attachText"), [
      { type: "attachText", title: "notes.md", text: "# Grüße\n" },
      { type: "attachText", title: "wide.txt", text: "wide" },
    ]);
  });

  it("are limited in number, with a note about those left out", async () => {
    const picture = await drawImage(composer.page, "a.png", 20, 20);
    await give(
      box(),
      "paste",
      Array.from({ length: 21 }, (_, index) => ({ ...picture, name: `${index + 1}.png` })),
    );
    await item("20.png").waitFor();
    await remark(/1 file was skipped\. A message can have up to 20/).waitFor();
    await eventually(async () => assert.equal(await tray().getByRole("listitem").count(), 20));
  });

  it("don't include the image of pasted text that also contains one", async () => {
    const picture = await drawImage(composer.page, "image.png", 20, 20);
    await give(box(), "paste", [picture], { "text/plain": "A\tB" });
    await give(box(), "paste", [picture], { "text/plain": "The file image.png is missing" });
    await give(box(), "paste", [picture], { "text/plain": "/home/me/image.png\n" });
    await item("Image").waitFor();
    await eventually(async () => assert.equal(await tray().getByRole("listitem").count(), 1));
  });

  it("can come from the Explorer by address, and show what the host reads", async () => {
    await composer.takePosted();
    await give(box(), "drop", [], {
      "text/uri-list": "file:///w/a.png",
      "application/vnd.code.uri-list": "file:///w/a.png\r\nvscode-remote://host/w/b.wav",
    });
    const uris = ["file:///w/a.png", "vscode-remote://host/w/b.wav"];
    assert.deepEqual(await posted("readFiles"), [{ type: "readFiles", uris }]);
    const { data } = await drawImage(composer.page, "a.png", 30, 20);
    await composer.send({
      type: "files",
      files: [{ name: "a.png", data }],
      problems: ["b.wav couldn't be read."],
    });
    await item("a.png").waitFor();
    await remark("b.wav couldn't be read.").waitFor();
  });

  it("can be selected in the host's file dialog", async () => {
    await composer.page.getByRole("button", { name: /^Attach files/ }).click();
    assert.deepEqual(await posted("pickFiles"), [{ type: "pickFiles" }]);
  });

  it("can be enlarged with Enter and closed with Esc, which restores the focus", async () => {
    await give(box(), "paste", [await drawImage(composer.page, "a.png", 60, 40)]);
    const open = tray().getByRole("button", { name: /^Enlarge a\.png/ });
    await open.press("Enter");
    const dialog = composer.page.getByRole("dialog", { name: "a.png" });
    await dialog.getByRole("img", { name: "a.png" }).waitFor();
    await eventually(async () =>
      assert.equal(await dialog.locator("img").evaluate((image: HTMLImageElement) => image.naturalWidth), 60),
    );
    await composer.page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await eventually(async () =>
      assert.ok(await open.evaluate((element) => element === document.activeElement)),
    );
  });

  it("can be removed with Delete, which moves the focus to the next one and finally to the text field", async () => {
    const picture = await drawImage(composer.page, "a.png", 20, 20);
    await give(box(), "paste", [picture, { ...picture, name: "b.png" }]);
    await item("b.png").waitFor();
    await tray()
      .getByRole("button", { name: /^Enlarge a\.png/ })
      .press("Delete");
    const focused = () => composer.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await eventually(async () => assert.match((await focused()) ?? "", /^Enlarge b\.png/));
    await composer.page.keyboard.press("Backspace");
    await eventually(async () => {
      assert.equal(await focused(), "Message");
      assert.equal(await tray().count(), 0);
    });
  });

  it("are reported to the host when they change, but not for each key", async () => {
    await composer.takePosted();
    await give(box(), "paste", [await drawImage(composer.page, "a.png", 20, 20)]);
    await item("a.png").waitFor();
    await box().fill("words");
    await composer.page.waitForFunction(() =>
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
    const { data } = await drawImage(composer.page, "a.png", 30, 20);
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
});
