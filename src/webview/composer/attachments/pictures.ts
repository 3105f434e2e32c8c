import type { PictureType } from "../../../core/compose/attachments/fileKind.ts";
import { fitSize } from "../../../core/compose/attachments/limits.ts";
import type { AttachmentLimits } from "../../../core/compose/attachments/limits.ts";
import type { PictureFacts } from "../../../core/compose/attachments/pictureFacts.ts";

/** A picture as it is sent. */
export interface PreparedPicture {
  readonly blob: Blob;
  readonly mediaType: PictureType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Whether it moved and does no more. */
  readonly isStilled: boolean;
}

/** Quality of lossy encoders, from 0 to 1: no difference to be seen, a quarter of the bytes. */
const quality = 0.9;

/** Bytes from which a picture is no longer worth being sent without loss. */
const losslessBytes = 2 * 1024 * 1024;

/**
 * Makes a picture ready to be sent: upright, no larger than the limit, and without what a camera wrote into it (time,
 * place), because it is drawn anew. A moving GIF is kept as it is where it is small enough. Rejects where the picture
 * can't be decoded.
 */
export async function preparePicture(
  file: Blob,
  facts: PictureFacts,
  limits: AttachmentLimits,
): Promise<PreparedPicture> {
  const { mediaType, width, height } = facts;
  const fit = fitSize(width, height, limits.maxPictureEdge);
  if (facts.isAnimated && mediaType === "image/gif" && file.size <= limits.maxBytes && fit.width === width) {
    return { blob: new Blob([file], { type: mediaType }), mediaType, width, height, isStilled: false };
  }
  const canvas = await drawUpright(file, limits.maxPictureEdge);
  const encoded = await encode(canvas, mediaType);
  const size = { width: canvas.width, height: canvas.height };
  return { ...encoded, ...size, isStilled: facts.isAnimated };
}

async function drawUpright(file: Blob, maxEdge: number): Promise<OffscreenCanvas> {
  // The browser turns it as its camera was held.
  const bitmap = await createImageBitmap(file);
  try {
    const { width, height } = fitSize(bitmap.width, bitmap.height, maxEdge);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("The browser draws no pictures.");
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, 0, 0, width, height);
    return canvas;
  } finally {
    bitmap.close();
  }
}

/** In its own format; without loss only while that is small. */
async function encode(
  canvas: OffscreenCanvas,
  mediaType: PictureType,
): Promise<{ readonly blob: Blob; readonly mediaType: PictureType }> {
  const own = mediaType === "image/gif" ? "image/png" : mediaType;
  const blob = await canvas.convertToBlob({ type: own, quality });
  if (own !== "image/png" || blob.size <= losslessBytes) return { blob, mediaType: own };
  // WebP, not JPEG: it keeps what is transparent.
  const smaller = await canvas.convertToBlob({ type: "image/webp", quality });
  return smaller.size < blob.size ? { blob: smaller, mediaType: "image/webp" } : { blob, mediaType: own };
}
