import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import type { FileKind } from "./fileKind.ts";
import type { AttachmentLimits } from "./limits.ts";
import { maxFileBytes, maxPixels, formatBytes } from "./limits.ts";

/** The name of a file in a form that fits into a sentence. */
export function fileName(name: string): string {
  return sanitizeLabel(name, 60) || t("The file");
}

/** Why a file of this size and kind can't be attached; undefined if it can, judging by its start. */
export function findProblem(
  name: string,
  bytes: number,
  kind: FileKind,
  limits: AttachmentLimits,
): string | undefined {
  if (bytes === 0) return emptyFile(name);
  if (kind.kind === "other") return wrongKind(name, kind.name);
  const limit = kind.kind === "recording" ? limits.maxBytes : maxFileBytes(limits);
  return bytes > limit ? tooBig(name, bytes, limit) : undefined;
}

export function emptyFile(name: string): string {
  return t("{0} is empty.", fileName(name));
}

export function wrongKind(name: string, kind: string | undefined): string {
  return kind === undefined
    ? t("{0} isn't a supported file: text, image (PNG, JPEG, WebP, GIF) or audio (WAV, MP3).", fileName(name))
    : t(
        "{0} is a {1} file. Attach images as PNG, JPEG, WebP, or GIF, and audio as WAV or MP3.",
        fileName(name),
        kind,
      );
}

/** Sizes in bytes. */
export function tooBig(name: string, bytes: number, limit: number): string {
  return t("{0} is too large: {1} (maximum {2}).", fileName(name), formatBytes(bytes), formatBytes(limit));
}

export function tooManyPixels(name: string, width: number, height: number): string {
  return t(
    "{0} is too large: {1} × {2} pixels (maximum {3} megapixels).",
    fileName(name),
    width,
    height,
    maxPixels / 1_000_000,
  );
}

export function brokenImage(name: string): string {
  return t("{0} can't be opened: the image is damaged.", fileName(name));
}

export function brokenAudio(name: string, format: string): string {
  return t("{0} can't be read as {1}: the audio is damaged or empty.", fileName(name), format);
}

export function unreadable(name: string): string {
  return t("{0} couldn't be read.", fileName(name));
}

export function tooMany(left: number, limit: number): string {
  return left === 1
    ? t("1 file was skipped. A message can have up to {0} images and audio files.", limit)
    : t("{0} files were skipped. A message can have up to {1} images and audio files.", left, limit);
}
