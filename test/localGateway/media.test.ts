import assert from "node:assert/strict";
import { readPictureFacts } from "../../src/localGateway/inference/pictureSize.ts";
import { readRecordingSeconds } from "../../src/localGateway/inference/recordingLength.ts";
import {
  gifBytes,
  jpegBytes,
  mp3Bytes,
  pngBytes,
  wavBytes,
  webpBytes,
} from "../support/localGatewayMedia.ts";

describe("pictures of a request", () => {
  const size = { width: 640, height: 427 };
  const pictures = [
    ["PNG", pngBytes(640, 427)],
    ["GIF", gifBytes(640, 427)],
    ["JPEG", jpegBytes(640, 427)],
    ["WebP", webpBytes("VP8 ", 640, 427)],
    ["WebP", webpBytes("VP8L", 640, 427)],
    ["WebP", webpBytes("VP8X", 640, 427)],
  ] as const;
  for (const [format, bytes] of pictures) {
    const kind = format === "WebP" ? `WebP ${bytes.toString("latin1", 12, 16)}` : format;
    it(`have their size read: ${kind}`, () => assert.deepEqual(readPictureFacts(bytes), { format, ...size }));
    it(`are not believed when they end early: ${kind}`, () => {
      for (let length = 0; length < 10; length++) {
        assert.equal(readPictureFacts(bytes.subarray(0, length)), undefined);
      }
    });
  }
  it("are refused when they are something else", () => {
    assert.equal(readPictureFacts(Buffer.from("<svg/>")), undefined);
    assert.equal(readPictureFacts(Buffer.from([0xff, 0xd8, 1, 2, 3, 4, 5, 6, 7, 8])), undefined);
    assert.equal(readPictureFacts(wavBytes(1, 8000)), undefined);
  });
});

describe("recordings of a request", () => {
  it("have their length read: wav", () => assert.equal(readRecordingSeconds("wav", wavBytes(3, 16_000)), 3));
  it("have their length read: a wav whose recorder did not know its size", () => {
    const bytes = wavBytes(2, 8000);
    bytes.writeUInt32LE(0xffff_ffff, 54);
    assert.equal(readRecordingSeconds("wav", bytes), 2);
  });
  it("have their length read: mp3, without the frame that holds no sound", () => {
    const seconds = readRecordingSeconds("mp3", mp3Bytes(100)) ?? 0;
    assert.equal(seconds.toFixed(6), ((100 * 1152) / 44_100).toFixed(6));
  });
  it("are refused when they are something else", () => {
    assert.equal(readRecordingSeconds("wav", mp3Bytes(3)), undefined);
    assert.equal(readRecordingSeconds("mp3", wavBytes(1, 8000)), undefined);
    assert.equal(readRecordingSeconds("mp3", Buffer.alloc(0)), undefined);
  });
});
