import assert from "node:assert/strict";
import { readFileKind, readImageFacts } from "../../../src/core/conversation/fileKind.ts";
import {
  gifBytes,
  jpegBytes,
  mp3Bytes,
  pngBytes,
  wavBytes,
  webpBytes,
} from "../../support/localGatewayMedia.ts";

const bytesOf = (text: string): Uint8Array => Buffer.from(text, "latin1");

describe("The kind of a file", () => {
  const images = [
    ["image/png", pngBytes(3, 2)],
    ["image/gif", gifBytes(3, 2)],
    ["image/jpeg", jpegBytes(3, 2)],
    ["image/webp", webpBytes("VP8L", 3, 2)],
  ] as const;
  for (const [mediaType, bytes] of images) {
    it(`is detected from its bytes: ${mediaType}`, () => {
      assert.deepEqual(readFileKind(bytes), { kind: "image", mediaType });
    });
  }

  it("is detected from its bytes: audio, including an mp3 with or without a tag", () => {
    assert.deepEqual(readFileKind(wavBytes(1, 8000)), { kind: "audio", format: "wav" });
    assert.deepEqual(readFileKind(mp3Bytes(2)), { kind: "audio", format: "mp3" });
    assert.deepEqual(readFileKind(mp3Bytes(2).subarray(30)), { kind: "audio", format: "mp3" });
  });

  it("is detected from its bytes: audio that has to be converted", () => {
    for (const start of [
      ...["OggS\0", "fLaC\0", "\x1aE\xdf\xa3", "\0\0\0\x20ftypM4A \0", "\0\0\0\x20ftypisom\0"],
      ...["\xff\xf1\x4c\x40", "\xff\xf9\x50\x80"],
    ])
      assert.deepEqual(readFileKind(bytesOf(start)), { kind: "audio" }, JSON.stringify(start));
  });

  const others = {
    PDF: "%PDF-1.7",
    AVIF: "\0\0\0\x20ftypavif\0",
    HEIC: "\0\0\0\x18ftypheic\0",
  };
  for (const [name, start] of Object.entries(others)) {
    it(`is named if it can't be attached: ${name}`, () => {
      assert.deepEqual(readFileKind(bytesOf(start)), { kind: "other", name });
    });
  }

  it("is unknown for text, empty files and bytes that only start like an audio frame", () => {
    for (const text of ["hello", "", "RIFF\0\0\0\0AVI ", "\xff\xfe\xff\0", "\xff\xff\xff\xff"]) {
      assert.deepEqual(readFileKind(bytesOf(text)), { kind: "other" }, JSON.stringify(text));
    }
  });
});

describe("Facts of an image", () => {
  const size = { width: 640, height: 427 };
  const images = [
    ["image/png", pngBytes(640, 427)],
    ["image/gif", gifBytes(640, 427)],
    ["image/jpeg", jpegBytes(640, 427)],
    ["image/webp", webpBytes("VP8 ", 640, 427)],
    ["image/webp", webpBytes("VP8L", 640, 427)],
    ["image/webp", webpBytes("VP8X", 640, 427)],
  ] as const;
  for (const [mediaType, bytes] of images) {
    const variant = bytes.toString("latin1", 12, 16).trim();
    const kind = mediaType === "image/webp" ? `${mediaType} ${variant}` : mediaType;
    it(`are its dimensions: ${kind}`, () => {
      assert.deepEqual(readImageFacts(bytes), { mediaType, ...size, mayMove: mediaType === "image/gif" });
    });
    it(`are unknown if the file is truncated: ${kind}`, () => {
      for (let length = 0; length < 10; length++) {
        assert.equal(readImageFacts(bytes.subarray(0, length)), undefined);
      }
    });
  }

  it("are missing if it has no pixels or isn't an image", () => {
    assert.equal(readImageFacts(pngBytes(0, 10)), undefined);
    assert.equal(readImageFacts(wavBytes(1, 8000)), undefined);
  });

  it("say that a WebP moves", () => {
    const webp = webpBytes("VP8X", 4, 4);
    webp[20] = 2;
    assert.equal(readImageFacts(webp)?.mayMove, true);
  });

  it("are read quickly from a hostile file", () => {
    const endless = Buffer.concat([pngBytes(4, 4), Buffer.alloc(1_000_000)]);
    assert.ok(readImageFacts(endless));
    assert.equal(
      readImageFacts(Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(100_000, 0xff)])),
      undefined,
    );
  });
});
