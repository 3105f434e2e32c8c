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
