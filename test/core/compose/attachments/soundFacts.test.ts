import assert from "node:assert/strict";
import { createWavFile, wavSeconds } from "../../../../src/core/compose/attachments/soundFacts.ts";

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
    assert.equal(wavSeconds(file.length), 1.5);
    assert.equal(wavSeconds(10), 0);
  });
});
