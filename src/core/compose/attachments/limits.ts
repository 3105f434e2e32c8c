import { t } from "@vscode/l10n";
import { formatNumber } from "../../kernel/formatNumber.ts";
/** How much may be attached; settings of the user. */
export interface AttachmentLimits {
  /** Longest edge of an image in pixels. A larger image is scaled down before it is sent. 0 means no limit. */
  readonly maxImageEdge: number;
  /** Of one attachment as it is sent. */
  readonly maxBytes: number;
  /** Limit for images and audio in one message. */
  readonly maxCount: number;
}

const megabyte = 1_000_000;

export const defaultLimits: AttachmentLimits = {
  maxImageEdge: 2048,
  maxBytes: 10 * megabyte,
  maxCount: 20,
};

/** Pixels of an image that the page would decode. More would take a quarter of a gigabyte or more. */
export const maxPixels = 80_000_000;

/** Bytes of an image file. What is sent of it is smaller. */
export const maxImageFileBytes = 64 * megabyte;

/** Bytes of a file that is worth reading at all. */
export function maxFileBytes(limits: AttachmentLimits): number {
  return Math.max(limits.maxBytes, maxImageFileBytes);
}

/** The settings as limits; what can't be understood counts as not set. */
export function parseLimits(values: {
  readonly maxImageEdge: unknown;
  readonly maxMegabytes: unknown;
  readonly maxCount: unknown;
}): AttachmentLimits {
  const { maxImageEdge, maxMegabytes, maxCount } = values;
  return {
    maxImageEdge: maxImageEdge === 0 ? 0 : positive(maxImageEdge, defaultLimits.maxImageEdge),
    maxBytes: Math.round(positive(maxMegabytes, defaultLimits.maxBytes / megabyte) * megabyte),
    maxCount: Math.max(1, Math.floor(positive(maxCount, defaultLimits.maxCount))),
  };
}

function positive(value: unknown, otherwise: number): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : otherwise;
}

/** The size at which an image is sent: proportions kept and never enlarged. `maxEdge` is as in the limits. */
export function fitSize(
  width: number,
  height: number,
  maxEdge: number,
): { readonly width: number; readonly height: number } {
  const scale = maxEdge === 0 ? 1 : Math.min(1, maxEdge / Math.max(width, height));
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
}

/** A number of bytes for people, such as `23 kB`. */
export function formatBytes(bytes: number): string {
  if (bytes === 1) return t("1 byte");
  if (bytes < 1000) return t("{0} bytes", bytes);
  if (bytes < 999_500) return t("{0} kB", rounded(bytes / 1000));
  return t("{0} MB", rounded(bytes / 1_000_000));
}

function rounded(value: number): string {
  return formatNumber(value, undefined, { maximumFractionDigits: value < 10 ? 1 : 0 });
}

/** A length of time as a clock shows it, such as `1:05` or `1:00:00`. */
export function formatSeconds(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const pad = (value: number): string => String(value).padStart(2, "0");
  return hours > 0 ? `${hours}:${pad(minutes)}:${pad(rest)}` : `${minutes}:${pad(rest)}`;
}

/** Bytes that base64 stands for. */
export function base64Bytes(data: string): number {
  const padding = data.endsWith("==") ? 2 : data.endsWith("=") ? 1 : 0;
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding);
}
