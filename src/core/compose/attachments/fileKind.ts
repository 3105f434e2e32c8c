import type { AudioPart, Modality } from "../../conversation/completion.ts";

export type ImageType = "image/png" | "image/jpeg" | "image/webp" | "image/gif";

/** The kind of a file according to its first bytes, regardless of its name. `other` is named if it is recognized. */
export type FileKind = MediaKinds[Modality] | { readonly kind: "other"; readonly name?: string };

/** The kinds of file that can become part of a message. */
interface MediaKinds {
  readonly image: { readonly kind: "image"; readonly mediaType: ImageType };
  readonly audio: { readonly kind: "recording"; readonly format: AudioPart["format"] };
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
  if (text(bytes, 0, 4) === "RIFF" && text(bytes, 8, 4) === "WAVE")
    return { kind: "recording", format: "wav" };
  if (text(bytes, 0, 3) === "ID3" || isLayer3Frame(bytes)) return { kind: "recording", format: "mp3" };
  const name = otherName(bytes);
  return name === undefined ? { kind: "other" } : { kind: "other", name };
}

/** Checks for the eleven bits that begin a frame, followed by a valid version and layer. */
function isLayer3Frame(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  const isFrame = first === 0xff && (second & 0xe0) === 0xe0;
  const hasVersion = (second & 0x18) !== 0x08;
  const isLayer3 = (second & 0x06) === 0x02;
  return isFrame && hasVersion && isLayer3 && third >>> 4 !== 15 && (third & 0x0c) !== 0x0c;
}

/** Kinds that people try to attach, so that the error message can name them. */
function otherName(bytes: Uint8Array): string | undefined {
  const start = text(bytes, 0, 4);
  if (text(bytes, 4, 4) === "ftyp") return brandName(text(bytes, 8, 4));
  if (start === "%PDF") return "PDF";
  if (start === "OggS") return "Ogg";
  if (start === "fLaC") return "FLAC";
  if (start === "\x1aE\xdf\xa3") return "WebM";
  if (start === "II*\0" || start === "MM\0*") return "TIFF";
  if (start.startsWith("BM")) return "BMP";
  if (start === "FORM") return "AIFF";
  return undefined;
}

function brandName(brand: string): string {
  if (/^(?:hei|hev|mif1|msf1)/.test(brand)) return "HEIC";
  if (/^avi[fs]/.test(brand)) return "AVIF";
  return brand.startsWith("M4A") ? "M4A" : "MP4";
}

/** The bytes as Latin-1: one character each. */
function text(bytes: Uint8Array, start: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(start, start + length));
}

/** Whether the path looks like that of an image or audio file. Only the bytes show what the file really is. */
export function isMediaPath(path: string): boolean {
  return /\.(?:png|jpe?g|webp|gif|bmp|tiff?|avif|heic|ico|wav|mp3|m4a|ogg|flac|aac)$/i.test(path);
}
