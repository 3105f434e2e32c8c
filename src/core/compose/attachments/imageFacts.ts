import type { ImageType } from "./fileKind.ts";

/** Facts from the header of an image. Sizes are in pixels as stored: the camera may have been held sideways. */
export interface ImageFacts {
  readonly mediaType: ImageType;
  readonly width: number;
  readonly height: number;
  readonly isAnimated: boolean;
}

/** Reads the facts from the bytes of an image, or from enough of its start. Undefined if the bytes end too early. */
export function readImageFacts(bytes: Uint8Array): ImageFacts | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const facts = readPng(view) ?? readGif(view) ?? readWebp(view) ?? readJpeg(view);
    return facts !== undefined && facts.width > 0 && facts.height > 0 ? facts : undefined;
  } catch (error) {
    // The header ends too early.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readPng(view: DataView): ImageFacts | undefined {
  if (view.getUint32(0) !== 0x89_50_4e_47) return undefined;
  const size = { width: view.getUint32(16), height: view.getUint32(20) };
  return { mediaType: "image/png", ...size, isAnimated: hasPngChunk(view, "acTL") };
}

/** Whether the chunk precedes the image data. */
function hasPngChunk(view: DataView, name: string): boolean {
  for (let at = 8; at + 8 <= view.byteLength; at += 12 + view.getUint32(at)) {
    const chunk = nameAt(view, at + 4);
    if (chunk === name) return true;
    if (chunk === "IDAT") return false;
  }
  return false;
}

function readGif(view: DataView): ImageFacts | undefined {
  if (nameAt(view, 0) !== "GIF8") return undefined;
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  return { mediaType: "image/gif", ...size, isAnimated: countGifFrames(view, 2) > 1 };
}

/** Counts the frames up to `enough`. */
function countGifFrames(view: DataView, enough: number): number {
  let frames = 0;
  let at = 13 + colorTableLength(view, 10);
  while (at < view.byteLength && frames < enough) {
    const block = view.getUint8(at);
    if (block === 0x21) at = skipSubBlocks(view, at + 2);
    else if (block === 0x2c) {
      frames++;
      at = skipSubBlocks(view, at + 11 + (at + 9 < view.byteLength ? colorTableLength(view, at + 9) : 0));
    } else break;
  }
  return frames;
}

function colorTableLength(view: DataView, at: number): number {
  if (at >= view.byteLength) return 0;
  const flags = view.getUint8(at);
  return (flags & 0x80) === 0 ? 0 : 3 << ((flags & 7) + 1);
}

function skipSubBlocks(view: DataView, start: number): number {
  let at = start;
  while (at < view.byteLength) {
    const length = view.getUint8(at);
    at += 1 + length;
    if (length === 0) break;
  }
  return at;
}

function readWebp(view: DataView): ImageFacts | undefined {
  if (nameAt(view, 0) !== "RIFF" || nameAt(view, 8) !== "WEBP") return undefined;
  const mediaType = "image/webp";
  switch (nameAt(view, 12)) {
    case "VP8X": {
      const size = { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
      return { mediaType, ...size, isAnimated: (view.getUint8(20) & 2) !== 0 };
    }
    case "VP8L": {
      const bits = view.getUint32(21, true);
      const size = { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
      return { mediaType, ...size, isAnimated: false };
    }
    case "VP8 ": {
      const size = { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
      return { mediaType, ...size, isAnimated: false };
    }
    default:
      return undefined;
  }
}

/** The size is in the start-of-frame segment; the segments before it are skipped by their length. */
function readJpeg(view: DataView): ImageFacts | undefined {
  if (view.getUint16(0) !== 0xffd8) return undefined;
  let at = 2;
  for (;;) {
    const marker = view.getUint16(at);
    if (marker < 0xff00) return undefined;
    if (marker === 0xffff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xffc0 && marker <= 0xffcf && ![0xffc4, 0xffc8, 0xffcc].includes(marker);
    if (isFrame) {
      const size = { width: view.getUint16(at + 7), height: view.getUint16(at + 5) };
      return { mediaType: "image/jpeg", ...size, isAnimated: false };
    }
    at += 2 + view.getUint16(at + 2);
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function nameAt(view: DataView, at: number): string {
  return String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(at + index)));
}
