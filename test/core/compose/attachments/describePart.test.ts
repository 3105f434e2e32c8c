import assert from "node:assert/strict";
import { describePart, partName } from "../../../../src/core/compose/attachments/describePart.ts";
import { parseContentParts } from "../../../../src/core/conversation/messageDetails.ts";

const data = Buffer.alloc(1500).toString("base64");

describe("The description of an attachment", () => {
  it("uses the name of its file, or else its kind", () => {
    assert.equal(partName({ type: "image", mediaType: "image/png", data, title: "cat.png" }), "cat.png");
    assert.equal(partName({ type: "image", mediaType: "image/png", data }), "Image");
    assert.equal(partName({ type: "audio", format: "wav", data, title: "\u202e" }), "Audio");
    assert.equal(partName({ type: "text", text: "x", title: "src/a.ts:1-9" }), "src/a.ts:1-9");
  });

  it("contains its kind, its known dimensions or length, and its size", () => {
    const image = { type: "image", mediaType: "image/webp", data } as const;
    assert.equal(describePart(image, { width: 640, height: 480 }), "WebP, 640 × 480, 1.5 kB");
    assert.equal(describePart(image, {}), "WebP, 1.5 kB");
    assert.equal(describePart({ type: "audio", format: "mp3", data }, { seconds: 62 }), "mp3, 1:02, 1.5 kB");
    assert.equal(describePart({ type: "text", text: "four" }, {}), "4 characters");
  });

  it("keeps the attachment's name after parsing", () => {
    const parts = [
      { type: "image", mediaType: "image/png", data, title: "a.png" },
      { type: "audio", format: "wav", data, title: "b.wav" },
      { type: "text", text: "x", title: "c.ts" },
      { type: "image", mediaType: "image/png", data },
    ];
    assert.deepEqual(parseContentParts(parts), parts);
    assert.deepEqual(
      parseContentParts([{ type: "audio", format: "ogg", data }, { type: "image" }, null]),
      [],
    );
  });
});
