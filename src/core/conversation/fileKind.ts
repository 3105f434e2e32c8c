import { decodeBase64 } from "../kernel/base64.ts";
import type { AudioPart, Modality } from "./completion.ts";

/** The image formats that models accept, as media types. */
export type ImageType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

/** The kind of a file according to its first bytes, regardless of its name. `other` is named if it is recognized. */
export type FileKind = MediaKinds[Modality] | { readonly kind: "other"; readonly name?: string };

/** The kinds of file that can become part of a message. */
interface MediaKinds {
  readonly image: { readonly kind: "image"; readonly mediaType: ImageType };
  readonly audio: {
    readonly kind: "audio";
    /** Absent if models don't accept it as it is: the page converts it if it can. */
    readonly format?: AudioPart["format"];
  };
}

/** Number of bytes that `readFileKind` needs; fewer are enough if the file is smaller. */
export const kindBytes = 64;

/** Recognizes a file by its first bytes. */
export function readFileKind(bytes: Uint8Array): FileKind {
  if (text(bytes, 0, 8) === "\x89PNG\r\n\x1a\n") return { kind: "image", mediaType: "image/png" };
  if (text(bytes, 0, 3) === "\xff\xd8\xff") return { kind: "image", mediaType: "image/jpeg" };
  if (/^GIF8[79]a/.test(text(bytes, 0, 6))) return { kind: "image", mediaType: "image/gif" };
  if (text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 4) === "WEBP")
    return { kind: "image", mediaType: "image/webp" };
  if (text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 4) === "WAVE") return { kind: "audio", format: "wav" };
  if (text(bytes, 0, 3) === "ID3" || isLayer3Frame(bytes)) return { kind: "audio", format: "mp3" };
  if (isOtherAudio(bytes)) return { kind: "audio" };
  const name = otherName(bytes);
  return name === undefined ? { kind: "other" } : { kind: "other", name };
}

/** Recognizes a file by the start of its base64. */
export function readBase64Kind(data: string): FileKind {
  const start = decodeBase64(data.slice(0, Math.ceil(kindBytes / 3) * 4)) ?? "";
  return readFileKind(Uint8Array.from(start, (character) => character.charCodeAt(0)));
}

/** Checks for the eleven bits that begin a frame, followed by a valid version and layer. */
function isLayer3Frame(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0;
  const hasVersion = (second & 0x18) !== 0x08;
  const isLayer3 = (second & 0x06) === 0x02;
  return isFrame && hasVersion && isLayer3 && third >>> 4 !== 15 && (third & 0x0c) !== 0x0c;
}

/** Files that may contain audio: Ogg, FLAC, WebM, AAC, and MP4 unless it is an image. */
function isOtherAudio(bytes: Uint8Array): boolean {
  const start = text(bytes, 0, 4);
  if (start === "OggS" || start === "fLaC" || start === "\x1aE\xdf\xa3") return true;
  if (text(bytes, 4, 4) === "ftyp") return imageBrand(text(bytes, 8, 4)) === undefined;
  const [first = 0, second = 0, third = 0] = bytes;
  return first === 0xff && (second & 0xf6) === 0xf0 && (third & 0x3c) <= 0x30;
}

/** Kinds that people try to attach, so that the error message can name them. */
function otherName(bytes: Uint8Array): string | undefined {
  const start = text(bytes, 0, 4);
  if (text(bytes, 4, 4) === "ftyp") return imageBrand(text(bytes, 8, 4));
  if (start === "%PDF") return "PDF";
  if (start === "II*\0" || start === "MM\0*") return "TIFF";
  if (start.startsWith("BM")) return "BMP";
  if (start === "FORM") return "AIFF";
  return undefined;
}

function imageBrand(brand: string): string | undefined {
  if (/^(?:hei|hev|mif1|msf1)/.test(brand)) return "HEIC";
  return /^avi[fs]/.test(brand) ? "AVIF" : undefined;
}

/** The bytes as Latin-1: one character each. */
function text(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

/** Whether the path looks like that of an image or audio file. Only the bytes show what the file really is. */
export function isMediaPath(path: string): boolean {
  return /\.(?:png|jpe?g|webp|gif|bmp|tiff?|avif|heic|ico|wav|mp3|m4[ab]|mp4|og[ag]|opus|flac|aac|web[am])$/i.test(
    path,
  );
}

/** Facts from the header of an image. Sizes are in pixels as stored: the camera may have been held sideways. */
export interface ImageFacts {
  readonly mediaType: ImageType;
  readonly width: number;
  readonly height: number;
  /** Whether it may be animated, as every GIF may be. */
  readonly mayMove: boolean;
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
  return { mediaType: "image/png", ...size, mayMove: false };
}

function readGif(view: DataView): ImageFacts | undefined {
  if (nameAt(view, 0) !== "GIF8") return undefined;
  const size = { width: view.getUint16(6, true), height: view.getUint16(8, true) };
  return { mediaType: "image/gif", ...size, mayMove: true };
}

function readWebp(view: DataView): ImageFacts | undefined {
  if (nameAt(view, 0) !== "RIFF" || nameAt(view, 8) !== "WEBP") return undefined;
  const mediaType = "image/webp";
  switch (nameAt(view, 12)) {
    case "VP8X": {
      const size = { width: uint24(view, 24) + 1, height: uint24(view, 27) + 1 };
      return { mediaType, ...size, mayMove: (view.getUint8(20) & 2) !== 0 };
    }
    case "VP8L": {
      const bits = view.getUint32(21, true);
      const size = { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
      return { mediaType, ...size, mayMove: false };
    }
    case "VP8 ": {
      const size = { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff };
      return { mediaType, ...size, mayMove: false };
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
      return { mediaType: "image/jpeg", ...size, mayMove: false };
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
