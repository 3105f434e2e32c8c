/** Seconds of a recording as its headers tell; undefined where they don't. */
export function readRecordingSeconds(format: string, bytes: Buffer): number | undefined {
  try {
    return format === "wav" ? readWavSeconds(bytes) : readMp3Seconds(bytes);
  } catch (error) {
    // A header that ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readWavSeconds(bytes: Buffer): number | undefined {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WAVE")
    return undefined;
  let bytesPerSecond = 0;
  for (let at = 12; at + 8 <= bytes.length;) {
    const name = bytes.toString("latin1", at, at + 4);
    const size = bytes.readUInt32LE(at + 4);
    if (name === "fmt ") bytesPerSecond = bytes.readUInt32LE(at + 16);
    if (name === "data") {
      // A recorder that streams doesn't know the size: take what is there.
      const length = Math.min(size, bytes.length - at - 8);
      return bytesPerSecond === 0 ? undefined : length / bytesPerSecond;
    }
    at += 8 + size + (size % 2);
  }
  return undefined;
}

/** Kilobits a second of MPEG-1 layer III and of MPEG-2 layer III, by index. */
const bitRates1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const bitRates2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const sampleRates1 = [44_100, 48_000, 32_000];

/** Adds up the frames: right for constant and for variable bit rates. */
function readMp3Seconds(bytes: Buffer): number | undefined {
  let at = findFirstFrame(bytes);
  let seconds = 0;
  for (let frame = readFrame(bytes, at); frame !== undefined; frame = readFrame(bytes, at)) {
    if (!isInfoFrame(bytes, at)) seconds += frame.seconds;
    at += frame.length;
  }
  return seconds === 0 ? undefined : seconds;
}

/** After the tag, and after the padding that some programs leave behind it. */
function findFirstFrame(bytes: Buffer): number {
  const start = bytes.toString("latin1", 0, 3) === "ID3" ? 10 + readSyncSafe(bytes, 6) : 0;
  let at = start;
  while (bytes[at] === 0) at++;
  return at;
}

function readFrame(
  bytes: Buffer,
  at: number,
): { readonly length: number; readonly seconds: number } | undefined {
  if (at + 4 > bytes.length) return undefined;
  const header = bytes.readUInt32BE(at);
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

/** The first frame of many files holds figures for players, and no sound. */
function isInfoFrame(bytes: Buffer, at: number): boolean {
  return /Xing|Info|VBRI/.test(bytes.toString("latin1", at + 4, at + 44));
}

/** Seven bits a byte, as ID3 writes lengths. */
function readSyncSafe(bytes: Buffer, at: number): number {
  return [0, 1, 2, 3].reduce((sum, index) => (sum << 7) | (bytes.readUInt8(at + index) & 0x7f), 0);
}
