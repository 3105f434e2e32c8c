/** Small image and audio files with complete headers and minimal bodies. */

export function pngBytes(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(33);
  bytes.write("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 0, "latin1");
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(height, 20);
  return bytes;
}

export function gifBytes(width: number, height: number): Buffer {
  const bytes = Buffer.alloc(13);
  bytes.write("GIF89a", 0, "latin1");
  bytes.writeUInt16LE(width, 6);
  bytes.writeUInt16LE(height, 8);
  return bytes;
}

/** With a segment of camera metadata and two fill bytes before the frame header. */
export function jpegBytes(width: number, height: number): Buffer {
  const frame = Buffer.from([0xff, 0xff, 0xff, 0xc2, 0, 11, 8, 0, 0, 0, 0, 1, 1, 0x11, 0]);
  frame.writeUInt16BE(height, 7);
  frame.writeUInt16BE(width, 9);
  const cameraData = Buffer.concat([Buffer.from([0xff, 0xe1, 0, 22]), Buffer.alloc(20, 0xc0)]);
  return Buffer.concat([Buffer.from([0xff, 0xd8]), cameraData, frame]);
}

export function webpBytes(kind: "VP8 " | "VP8L" | "VP8X", width: number, height: number): Buffer {
  const bytes = Buffer.alloc(34);
  bytes.write("RIFF\0\0\0\0WEBP", 0, "latin1");
  bytes.write(kind, 12, "latin1");
  if (kind === "VP8X") {
    bytes.writeUIntLE(width - 1, 24, 3);
    bytes.writeUIntLE(height - 1, 27, 3);
  } else if (kind === "VP8L") {
    bytes[20] = 0x2f;
    bytes.writeUInt32LE((((height - 1) << 14) | (width - 1)) >>> 0, 21);
  } else {
    bytes.write("\x9d\x01\x2a", 23, "latin1");
    bytes.writeUInt16LE(width, 26);
    bytes.writeUInt16LE(height, 28);
  }
  return bytes;
}

/** Silence with 16 bits and one channel, with a chunk of odd length before the samples. */
export function wavBytes(seconds: number, sampleRate: number): Buffer {
  const byteRate = sampleRate * 2;
  const head = Buffer.alloc(58);
  head.write("RIFF\0\0\0\0WAVEfmt ", 0, "latin1");
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(sampleRate, 24);
  head.writeUInt32LE(byteRate, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write("LIST", 36, "latin1");
  head.writeUInt32LE(5, 40);
  head.write("data", 50, "latin1");
  head.writeUInt32LE(seconds * byteRate, 54);
  return Buffer.concat([head, Buffer.alloc(seconds * byteRate)]);
}

/** Frames of 128 kbit/s at 44,100 Hz (1152 samples each), after a tag and a frame with data for players. */
export function mp3Bytes(frames: number): Buffer {
  const length = 417;
  const frame = Buffer.alloc(length);
  frame.writeUInt32BE(0xff_fb_90_00, 0);
  const info = Buffer.from(frame);
  info.write("Xing", 36, "latin1");
  const tag = Buffer.concat([Buffer.from("ID3\x04\0\0\0\0\0\x14", "latin1"), Buffer.alloc(20)]);
  return Buffer.concat([tag, info, ...Array.from({ length: frames }, () => frame)]);
}
