/** What the header of a picture says. */
export interface PictureFacts {
  readonly format: "PNG" | "JPEG" | "GIF" | "WebP";
  readonly width: number;
  readonly height: number;
}

/** Reads format and size in pixels from the first bytes; undefined for anything else. */
export function readPictureFacts(bytes: Buffer): PictureFacts | undefined {
  try {
    return readPng(bytes) ?? readGif(bytes) ?? readWebp(bytes) ?? readJpeg(bytes);
  } catch (error) {
    // A header that ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readPng(bytes: Buffer): PictureFacts | undefined {
  if (bytes.toString("latin1", 1, 4) !== "PNG") return undefined;
  return { format: "PNG", width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
}

function readGif(bytes: Buffer): PictureFacts | undefined {
  if (!bytes.toString("latin1", 0, 4).startsWith("GIF8")) return undefined;
  return { format: "GIF", width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
}

function readWebp(bytes: Buffer): PictureFacts | undefined {
  if (bytes.toString("latin1", 0, 4) !== "RIFF" || bytes.toString("latin1", 8, 12) !== "WEBP")
    return undefined;
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8X":
      return { format: "WebP", width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    case "VP8L": {
      const bits = bytes.readUInt32LE(21);
      return { format: "WebP", width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case "VP8 ":
      return {
        format: "WebP",
        width: bytes.readUInt16LE(26) & 0x3fff,
        height: bytes.readUInt16LE(28) & 0x3fff,
      };
    default:
      return undefined;
  }
}

/** The size stands in the start-of-frame segment; the segments before it are skipped by their length. */
function readJpeg(bytes: Buffer): PictureFacts | undefined {
  if (bytes.readUInt16BE(0) !== 0xffd8) return undefined;
  let at = 2;
  for (;;) {
    const marker = bytes.readUInt16BE(at);
    if (marker < 0xff00) return undefined;
    if (marker === 0xffff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) {
      return { format: "JPEG", width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    }
    at += 2 + bytes.readUInt16BE(at + 2);
  }
}
