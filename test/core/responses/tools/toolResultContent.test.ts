import assert from "node:assert/strict";
import { toolResultContent } from "../../../../src/core/responses/tools/toolResultContent.ts";

const toolResult = (content: unknown) =>
  toolResultContent(content, (data) => Buffer.from(data).toString("base64"));
const toolResultText = (content: unknown): string => toolResult(content).text;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

const pngStart = [0x89, ...bytes("PNG\r\n\x1a\n")];

describe("The content of a tool's result", () => {
  it("joins text parts", () => {
    assert.equal(toolResultText([{ value: "one" }, { value: "two" }]), "one\ntwo");
  });

  it("reads text and JSON from data parts and describes other parts", () => {
    const text = toolResultText([
      { mimeType: "application/json", data: bytes('{"größe":"😀"}') },
      { mimeType: "application/zip", data: new Uint8Array(3) },
      { mimeType: "audio/wav", data: new Uint8Array(4) },
    ]);
    assert.match(
      text,
      /^\{"größe":"😀"\}\n\(3 bytes of application\/zip .*\n\(4 bytes .* they aren't audio\/wav/,
    );
  });

  it("keeps images that a page can show, and mentions them in the text for the model", () => {
    const png = { mimeType: "image/png", data: Uint8Array.from(pngStart) };
    const { text, images } = toolResult([{ value: "Look:" }, png]);
    assert.deepEqual(images, [{ type: "image", mediaType: "image/png", data: "iVBORw0KGgo=" }]);
    assert.match(text, /^Look:\n\(.*an image, 8 bytes of image\/png/);
  });

  it("drops other image types, oversized images and images beyond the limit", () => {
    const drawing = { mimeType: "image/heic", data: bytes("    ftypheic") };
    const huge = {
      mimeType: "image/png",
      data: Uint8Array.from([...pngStart, ...new Uint8Array(5_000_000)]),
    };
    assert.deepEqual(toolResult([drawing, huge]).images, []);
    const many = Array.from({ length: 20 }, () => ({
      mimeType: "image/png",
      data: Uint8Array.from(pngStart),
    }));
    const { text, images } = toolResult(many);
    assert.equal(images.length, 8);
    assert.equal(text.split("\n").length, 20);
  });

  it("decodes UTF-8 as the platform does", () => {
    const samples = [
      [0xff],
      [0xe2, 0x82],
      [0xe2, 0x82, 0xac],
      [0xf0, 0x9f, 0x98, 0x80],
      [0xc0, 0x80],
      [0xed, 0xa0, 0x80],
    ];
    for (const sample of samples) {
      const data = Uint8Array.from([0x61, ...sample, 0x62]);
      const told = toolResultText([{ mimeType: "text/plain", data }]);
      const expected = new TextDecoder().decode(data);
      assert.equal(told.replace(/\uFFFD+/, "?"), expected.replace(/\uFFFD+/, "?"));
    }
  });

  it("reads the text of a rendered prompt in order", () => {
    const leaf = (text: string, lineBreakBefore = false) => ({ type: 2, text, lineBreakBefore });
    const value = {
      node: { type: 1, children: [leaf("a"), { type: 1, children: [leaf("b", true)] }, leaf("c")] },
    };
    assert.equal(toolResultText([{ value }]), "a\nbc");
  });

  it("is never empty and has a maximum length", () => {
    assert.match(toolResultText([]), /no output/);
    assert.match(toolResultText([null, 5, { odd: true }]), /no output/);
    assert.match(toolResultText([{ value: "x".repeat(1_000_010) }]), /rest of 10 characters is left out/);
  });
});
