import type { AudioPart } from "../../conversation/completion.ts";

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

/**
 * The duration of audio in seconds according to its headers. Undefined if they don't contain it, or if it isn't audio.
 * For a WAV file, its start and total length in bytes are enough.
 */
export function readSeconds(
  format: AudioPart["format"],
  bytes: Uint8Array,
  wholeLength = bytes.length,
): number | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const seconds = format === "wav" ? readWavSeconds(view, wholeLength) : readMp3Seconds(view);
    return seconds !== undefined && seconds > 0 ? seconds : undefined;
  } catch (error) {
    // The header ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const riff = 0x52_49_46_46;
const wave = 0x57_41_56_45;
const format = 0x66_6d_74_20;
const data = 0x64_61_74_61;

function readWavSeconds(view: DataView, wholeLength: number): number | undefined {
  if (view.getUint32(0) !== riff || view.getUint32(8) !== wave) return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= view.byteLength;) {
    const name = view.getUint32(at);
    const size = view.getUint32(at + 4, true);
    if (name === format) bytesPerSecond = view.getUint32(at + 16, true);
    if (name === data) {
      // A recorder that writes to a pipe doesn't know the size, so the bytes that are there count.
      const length = Math.min(size, wholeLength - at - 8);
      return bytesPerSecond === 0 ? undefined : length / bytesPerSecond;
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

/** Kilobits per second of MPEG-1 layer III and MPEG-2 layer III, by index. */
const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates1 = [44_100, 48_000, 32_000];
/** Bytes that may come between the tag and the first frame: padding, and the end of a truncated frame. */
const searchLength = 64 * 1024;

interface Frame {
  /** In bytes. */
  readonly length: number;
  readonly seconds: number;
}

/** Adds up the frames, which is correct for constant and variable bit rates. */
function readMp3Seconds(view: DataView): number | undefined {
  let at = findFirstFrame(view);
  let seconds = 0;
  if (at === undefined) return undefined;
  for (let frame = readFrame(view, at); frame !== undefined; frame = readFrame(view, at)) {
    if (!isInfoFrame(view, at)) seconds += frame.seconds;
    at += frame.length;
  }
  return seconds;
}

/** A frame counts as found if another frame follows it or the file ends with it. */
function findFirstFrame(view: DataView): number | undefined {
  const start = tagLength(view);
  for (let at = start; at < Math.min(start + searchLength, view.byteLength); at++) {
    const frame = view.getUint8(at) === 0xff ? readFrame(view, at) : undefined;
    if (frame === undefined) continue;
    const next = at + frame.length;
    if (next >= view.byteLength || readFrame(view, next) !== undefined) return at;
  }
  return undefined;
}

/** The length of an ID3 tag, stored in four bytes of seven bits. */
function tagLength(view: DataView): number {
  if (view.byteLength < 10 || view.getUint32(0) >>> 8 !== 0x49_44_33) return 0;
  return 10 + [6, 7, 8, 9].reduce((sum, at) => (sum << 7) | (view.getUint8(at) & 0x7f), 0);
}

function readFrame(view: DataView, at: number): Frame | undefined {
  if (at + 4 > view.byteLength) return undefined;
  const header = view.getUint32(at);
  const version = (header >>> 19) & 3;
  const isLayer3 = header >>> 21 === 0x7ff && version !== 1 && ((header >>> 17) & 3) === 1;
  const bitRate = (version === 3 ? bitRates1 : bitRates2)[(header >>> 12) & 15] ?? 0;
  const baseRate = sampleRates1[(header >>> 10) & 3];
  if (!isLayer3 || bitRate === 0 || baseRate === undefined) return undefined;
  const sampleRate = version === 3 ? baseRate : version === 2 ? baseRate / 2 : baseRate / 4;
  const samples = version === 3 ? 1152 : 576;
  const length = Math.floor(((samples / 8) * bitRate * 1000) / sampleRate) + ((header >>> 9) & 1);
  return { length, seconds: samples / sampleRate };
}

/** The first frame of many files contains metadata for players and no audio. */
function isInfoFrame(view: DataView, at: number): boolean {
  const end = Math.min(at + 44, view.byteLength);
  const words = Array.from({ length: Math.max(0, end - at - 4) }, (_, index) =>
    view.getUint8(at + 4 + index),
  );
  return /Xing|Info|VBRI/.test(String.fromCharCode(...words));
}
