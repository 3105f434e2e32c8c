import { bytesPerSecond, soundFormat } from "./recorders.ts";

const headLength = 44;

/** Samples as they came from a recorder as a wav file; half a sample at the end is left out. */
export function createWavFile(chunks: readonly Uint8Array[]): Uint8Array {
  const whole = chunks.reduce((sum, { length }) => sum + length, 0);
  const length = whole - (whole % soundFormat.bytesPerSample);
  const file = new Uint8Array(headLength + length);
  writeHead(new DataView(file.buffer), length);
  let at = headLength;
  for (const chunk of chunks) {
    const part = chunk.subarray(0, file.length - at);
    file.set(part, at);
    at += part.length;
  }
  return file;
}

function writeHead(view: DataView, length: number): void {
  const write = (at: number, name: string): void => {
    for (let index = 0; index < 4; index++) view.setUint8(at + index, name.charCodeAt(index));
  };
  const { sampleRate, channels, bytesPerSample } = soundFormat;
  write(0, "RIFF");
  view.setUint32(4, headLength - 8 + length, true);
  write(8, "WAVE");
  write(12, "fmt ");
  view.setUint32(16, 16, true);
  view.setUint16(20, 1, true);
  view.setUint16(22, channels, true);
  view.setUint32(24, sampleRate, true);
  view.setUint32(28, bytesPerSecond, true);
  view.setUint16(32, channels * bytesPerSample, true);
  view.setUint16(34, bytesPerSample * 8, true);
  write(36, "data");
  view.setUint32(40, length, true);
}

/** Whether the recording is silent, as from a microphone that the system has blocked. */
export function isSilent(chunks: readonly Uint8Array[]): boolean {
  return chunks.every((chunk) => chunk.every((byte) => byte === 0));
}
