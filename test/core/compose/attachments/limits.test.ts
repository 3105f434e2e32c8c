import assert from "node:assert/strict";
import { formatBytes } from "../../../../src/core/kernel/formatTime.ts";
import {
  fitSize,
  base64Bytes,
  formatSeconds,
  findProblem,
  tooMany,
} from "../../../../src/core/compose/attachments/limits.ts";

const png = { kind: "image", mediaType: "image/png" } as const;
const wav = { kind: "audio", format: "wav" } as const;

describe("Limits of attachments", () => {
  it("scale an image down in proportion, and never up", () => {
    assert.deepEqual(fitSize(4000, 3000, 2000), { width: 2000, height: 1500 });
    assert.deepEqual(fitSize(10, 4000, 2000), { width: 5, height: 2000 });
    assert.deepEqual(fitSize(1, 100_000, 10), { width: 1, height: 10 });
    assert.deepEqual(fitSize(30, 20, 2000), { width: 30, height: 20 });
  });

  it("are explained in a sentence with the name of the file", () => {
    assert.equal(findProblem("a.png", 0, png), "a.png is empty.");
    assert.match(findProblem("a.pdf", 9, { kind: "other", name: "PDF" }) ?? "", /a\.pdf is a PDF file/);
    assert.match(
      findProblem("a.txt", 9, { kind: "other" }) ?? "",
      /isn't a supported file\. Supported types: text, image .* and audio/,
    );
    assert.equal(findProblem("a.wav", 12_000_000, wav), "a.wav is too large: 12 MB (maximum 10 MB).");
    assert.equal(tooMany(1), "1 file was skipped. A message can have up to 20 images and audio files.");
  });

  it("accept a large image or audio file that is made smaller before it is sent", () => {
    for (const kind of [png, { kind: "audio" } as const]) {
      assert.equal(findProblem("a", 12_000_000, kind), undefined);
      assert.match(findProblem("a", 65_000_000, kind) ?? "", /too large: 65 MB/);
    }
  });

  it("show untrusted file names without characters that hide or reorder text", () => {
    assert.equal(findProblem("a\u202egnp.exe\n", 0, png), "agnp.exe is empty.");
    assert.equal(findProblem("\u200b", 0, png), "The file is empty.");
  });
});

describe("Attachment sizes", () => {
  it("are formatted for people", () => {
    assert.deepEqual(
      [0, 999, 1000, 23_400, 999_499, 999_500, 1_230_000, 3_400_000_000].map((bytes) => formatBytes(bytes)),
      ["0 bytes", "999 bytes", "1 kB", "23 kB", "999 kB", "1 MB", "1.2 MB", "3.4 GB"],
    );
    assert.deepEqual([0, 0.4, 3, 65, 3600].map(formatSeconds), ["0:00", "0:00", "0:03", "1:05", "1:00:00"]);
  });

  it("are computed from base64 without decoding it", () => {
    for (let length = 0; length < 10; length++) {
      assert.equal(base64Bytes(Buffer.alloc(length).toString("base64")), length);
    }
  });
});
