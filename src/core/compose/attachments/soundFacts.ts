/** Samples per second of a file that the extension writes: the rate that models listen with. */
export const wavSampleRate = 16_000;
const bytesPerSample = 2;
const wavHeadLength = 44;

/** How many seconds of audio fit into a WAV file of this many bytes, as the extension writes it. */
export function wavSeconds(bytes: number): number {
  return Math.max(0, bytes - wavHeadLength) / (wavSampleRate * bytesPerSample);
}

/**
 * A WAV file with one channel of 16-bit samples: the average of the channels, which have samples between -1 and 1 at
 * the rate above.
 */
export function createWavFile(channels: readonly Float32Array[]): Uint8Array<ArrayBuffer> {
  const count = Math.min(...channels.map(({ length }) => length));
  const view = new DataView(new ArrayBuffer(wavHeadLength + count * bytesPerSample));
  writeWavHead(view, count * bytesPerSample);
  for (let index = 0; index < count; index++) {
    let sum = 0;
    for (const channel of channels) sum += channel[index] ?? 0;
    const sample = Math.round((sum / channels.length) * 0x7fff);
    view.setInt16(wavHeadLength + index * bytesPerSample, Math.max(-0x8000, Math.min(0x7fff, sample)), true);
  }
  return new Uint8Array(view.buffer);
}

const riff = 0x52_49_46_46;
const wave = 0x57_41_56_45;
const format = 0x66_6d_74_20;
const data = 0x64_61_74_61;

function writeWavHead(view: DataView, length: number): void {
  view.setUint32(0, riff);
  view.setUint32(4, wavHeadLength - 8 + length, true);
  view.setUint32(8, wave);
  view.setUint32(12, format);
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, wavSampleRate, true);
  view.setUint32(28, wavSampleRate * bytesPerSample, true);
  view.setUint16(32, bytesPerSample, true);
  view.setUint16(34, bytesPerSample * 8, true);
  view.setUint32(36, data);
  view.setUint32(40, length, true);
}
