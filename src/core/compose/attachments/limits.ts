import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatBytes, formatNumber } from "../../kernel/formatTime.ts";
import type { FileKind } from "../../conversation/fileKind.ts";

/** Longest edge of an image in pixels. A larger image is scaled down before it is sent. */
export const maxImageEdge = 2_048;

/** Maximum bytes of one attachment as sent. */
export const maxAttachmentBytes = 10_000_000;

/** Maximum number of images and audio files in one message. */
export const maxAttachments = 20;

/** Maximum pixels of an image that the page decodes. More would take a quarter of a gigabyte or more. */
export const maxPixels = 80_000_000;

/** Maximum bytes of a file that is worth reading, because it may be made smaller before it is sent. */
export const maxFileBytes = 64_000_000;

/** The size at which an image is sent, with its proportions kept and never enlarged. */
export function fitSize(
  width: number,
  height: number,
  maxEdge: number,
): { readonly width: number; readonly height: number } {
  const scale = Math.min(1, maxEdge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** A duration in clock format, such as `1:05` or `1:00:00`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const pad = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

/** Number of bytes that base64 data encodes. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}

/** The name of a file in a form that fits into a sentence. */
export function fileName(name: string): string {
  return sanitizeLabel(name, 60) || t("The file");
}

/** Why a file of this size and kind can't be attached; undefined if it can, judging by its start. */
export function findProblem(name: string, bytes: number, kind: FileKind): string | undefined {
  if (bytes === 0) return emptyFile(name);
  if (kind.kind === "other") return wrongKind(name, kind.name);
  const isSentAsIs = kind.kind === "audio" && kind.format !== undefined;
  const limit = isSentAsIs ? maxAttachmentBytes : maxFileBytes;
  return bytes > limit ? tooBig(name, bytes, limit) : undefined;
}

/** The sentence for a file without content. */
export function emptyFile(name: string): string {
  return t("{0} is empty.", fileName(name));
}

function wrongKind(name: string, kind: string | undefined): string {
  return kind === undefined
    ? t(
        "{0} isn't a supported file. Supported types: text, image (PNG, JPEG, WebP, GIF), and audio (WAV, MP3, Ogg, FLAC, WebM).",
        fileName(name),
      )
    : t(
        "{0} is a {1} file. Attach images as PNG, JPEG, WebP, or GIF, and audio as WAV, MP3, Ogg, FLAC, or WebM.",
        fileName(name),
        kind,
      );
}

/** Sizes in bytes. */
export function tooBig(name: string, bytes: number, limit: number): string {
  return t("{0} is too large: {1} (maximum {2}).", fileName(name), formatBytes(bytes), formatBytes(limit));
}

/** The sentence for an image whose pixels would need too much memory. */
export function tooManyPixels(name: string, width: number, height: number): string {
  return t(
    "{0} is too large: {1} × {2} pixels (maximum {3} megapixels).",
    fileName(name),
    formatNumber(width),
    formatNumber(height),
    String(maxPixels / 1_000_000),
  );
}

/** The sentence for a text with the name of an image or audio file, such as an error page that was saved as one. */
export function textInstead(name: string): string {
  return t(
    "{0} contains text instead of an image or audio. To attach the text, rename the file.",
    fileName(name),
  );
}

/** The sentence for an image that can't be decoded. */
export function brokenImage(name: string): string {
  return t("{0} can't be opened: the image is damaged.", fileName(name));
}

/** The sentence for audio that can't be decoded. */
export function brokenAudio(name: string, format: string): string {
  return t("{0} can't be read as {1}: the audio is damaged or empty.", fileName(name), format);
}

/** The sentence for audio in a format that the page doesn't know, or that is damaged. */
export function undecodableAudio(name: string): string {
  return t("{0} can't be decoded. Attach audio as WAV, MP3, Ogg, FLAC, or WebM.", fileName(name));
}

/** The sentence for audio that would be too large to be sent. */
export function tooLong(name: string, seconds: number, limit: number): string {
  return t(
    "{0} is too long: {1} (maximum {2}).",
    fileName(name),
    formatSeconds(seconds),
    formatSeconds(limit),
  );
}

/** The sentence for a file that can't be read. */
export function unreadable(name: string): string {
  return t("{0} couldn't be read.", fileName(name));
}

/** The sentence for files that exceed the limit for one message. `left` is the number of files that were skipped. */
export function tooMany(left: number): string {
  return left === 1
    ? t(
        "1 file was skipped. A message can have up to {0} images and audio files.",
        formatNumber(maxAttachments),
      )
    : t(
        "{0} files were skipped. A message can have up to {1} images and audio files.",
        formatNumber(left),
        formatNumber(maxAttachments),
      );
}
