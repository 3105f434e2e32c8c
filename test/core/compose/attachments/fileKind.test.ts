import assert from "node:assert/strict";
import { readFileKind } from "../../../../src/core/compose/attachments/fileKind.ts";
import {
  gifBytes,
  jpegBytes,
  mp3Bytes,
  pngBytes,
  wavBytes,
  webpBytes,
} from "../../../support/localGatewayMedia.ts";

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
    assert.deepEqual(readFileKind(wavBytes(1, 8000)), { kind: "recording", format: "wav" });
    assert.deepEqual(readFileKind(mp3Bytes(2)), { kind: "recording", format: "mp3" });
    assert.deepEqual(readFileKind(mp3Bytes(2).subarray(30)), { kind: "recording", format: "mp3" });
  });

  const others = {
    PDF: "%PDF-1.7",
    Ogg: "OggS\0",
    FLAC: "fLaC\0",
    M4A: "\0\0\0\x20ftypM4A \0",
    MP4: "\0\0\0\x20ftypisom\0",
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
