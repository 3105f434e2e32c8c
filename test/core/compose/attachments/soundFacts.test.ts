import assert from "node:assert/strict";
import {
  createWavFile,
  readSeconds,
  wavSeconds,
} from "../../../../src/core/compose/attachments/soundFacts.ts";
import { mp3Bytes, wavBytes } from "../../../support/localGatewayMedia.ts";

describe("The length of an audio file", () => {
  it("is read from a wav", () => assert.equal(readSeconds("wav", wavBytes(3, 16_000)), 3));

  it("is read from the start of a wav and its total size", () => {
    const bytes = wavBytes(3, 16_000);
    assert.equal(readSeconds("wav", bytes.subarray(0, 100), bytes.length), 3);
  });

  it("is computed from the data of a wav whose header lacks the size", () => {
    const bytes = wavBytes(2, 8000);
    bytes.writeUInt32LE(0xffff_ffff, 54);
    assert.equal(readSeconds("wav", bytes), 2);
  });

  it("is the sum of the frames of an mp3, without the header frame", () => {
    assert.equal(readSeconds("mp3", mp3Bytes(100))?.toFixed(6), ((100 * 1152) / 44_100).toFixed(6));
  });

  it("is found if there is other data between the tag and the first frame", () => {
    const bytes = Buffer.concat([Buffer.alloc(500), mp3Bytes(10).subarray(30)]);
    assert.equal(readSeconds("mp3", bytes)?.toFixed(6), ((10 * 1152) / 44_100).toFixed(6));
  });

  it("is unknown for other, empty or truncated files", () => {
    assert.equal(readSeconds("wav", mp3Bytes(3)), undefined);
    assert.equal(readSeconds("mp3", wavBytes(1, 8000)), undefined);
    assert.equal(readSeconds("mp3", Buffer.alloc(0)), undefined);
    assert.equal(readSeconds("wav", wavBytes(0, 8000)), undefined);
    for (let length = 0; length < 58; length++) {
      assert.equal(readSeconds("wav", wavBytes(1, 8000).subarray(0, length)), undefined);
    }
  });
});

describe("A WAV file of the extension", () => {
  it("has one channel with the average of all, and ends with the shortest", () => {
    const file = createWavFile([new Float32Array([1, -1, 0.5]), new Float32Array([1, -1, 0.25, 1])]);
    const view = new DataView(file.buffer);
    assert.equal(file.length, 44 + 6);
    const samples = [0, 1, 2].map((index) => view.getInt16(44 + 2 * index, true));
    assert.deepEqual(samples, [0x7fff, -0x7fff, Math.round(0.375 * 0x7fff)]);
  });

  it("limits samples that are too loud", () => {
    const view = new DataView(createWavFile([new Float32Array([1.5, -1.5])]).buffer);
    assert.deepEqual([view.getInt16(44, true), view.getInt16(46, true)], [0x7fff, -0x8000]);
  });

  it("lasts as long as its size says", () => {
    const file = createWavFile([new Float32Array(24_000)]);
    assert.equal(readSeconds("wav", file), 1.5);
    assert.equal(wavSeconds(file.length), 1.5);
    assert.equal(wavSeconds(10), 0);
  });
});
