import { t } from "@vscode/l10n";
import { isMediaPath, readFileKind, readImageFacts } from "../../../core/conversation/fileKind.ts";
import type { ImageType, ImageFacts } from "../../../core/conversation/fileKind.ts";
import {
  fitSize,
  maxAttachmentBytes,
  maxImageEdge,
  maxPixels,
  brokenImage,
  brokenAudio,
  emptyFile,
  fileName,
  findProblem,
  textInstead,
  tooBig,
  tooLong,
  tooManyPixels,
  undecodableAudio,
  unreadable,
} from "../../../core/compose/attachments/limits.ts";
import { wavSeconds } from "../../../core/compose/attachments/soundFacts.ts";
import { headBytes, isBinary, maxTextBytes } from "../../../core/compose/context/pastedText.ts";
import type { AudioPart } from "../../../core/conversation/completion.ts";
import type { Attachment } from "./attachment.ts";
import { blobToBase64 } from "./base64.ts";
import { convertAudio, readLength } from "./convertAudio.ts";
import { assertNever } from "../../../core/kernel/assertNever.ts";

/** An image ready to be sent. */
interface PreparedImage {
  readonly blob: Blob;
  readonly mediaType: ImageType;
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  /** Whether it may have been animated and no longer is. */
  readonly isStilled: boolean;
}

/** Quality of lossy encoders, from 0 to 1: visually identical with a quarter of the bytes. */
const quality = 0.9;

/** Images larger than this many bytes are no longer encoded losslessly. */
const losslessBytes = 2 * 1024 * 1024;

/**
 * Prepares an image for sending: upright, no larger than the limit, and without the metadata of a camera (time,
 * location), because it is redrawn. A GIF is kept if it is small enough. Rejects if the image can't be
 * decoded.
 */
async function prepareImage(file: Blob, facts: ImageFacts): Promise<PreparedImage> {
  const { mediaType, width, height } = facts;
  const fit = fitSize(width, height, maxImageEdge);
  if (mediaType === "image/gif" && file.size <= maxAttachmentBytes && fit.width === width) {
    return { blob: new Blob([file], { type: mediaType }), mediaType, width, height, isStilled: false };
  }
  const canvas = await drawUpright(file);
  const encoded = await encode(canvas, mediaType);
  const size = { width: canvas.width, height: canvas.height };
  return { ...encoded, ...size, isStilled: facts.mayMove };
}

async function drawUpright(file: Blob): Promise<OffscreenCanvas> {
  // The browser rotates it according to the camera's orientation.
  const bitmap = await createImageBitmap(file);
  try {
    const { width, height } = fitSize(bitmap.width, bitmap.height, maxImageEdge);
    const canvas = new OffscreenCanvas(width, height);
    const context = canvas.getContext("2d");
    if (context === null) throw new Error("The browser has no 2D canvas.");
    context.imageSmoothingQuality = "high";
    context.drawImage(bitmap, 0, 0, width, height);
    return canvas;
  } finally {
    bitmap.close();
  }
}

/** In its own format, and losslessly only if the result is small. */
async function encode(
  canvas: OffscreenCanvas,
  mediaType: ImageType,
): Promise<{ readonly blob: Blob; readonly mediaType: ImageType }> {
  const own = mediaType === "image/gif" ? "image/png" : mediaType;
  const blob = await canvas.convertToBlob({ type: own, quality });
  if (own !== "image/png" || blob.size <= losslessBytes) return { blob, mediaType: own };
  // WebP instead of JPEG, because it preserves transparency.
  const smaller = await canvas.convertToBlob({ type: "image/webp", quality });
  return smaller.size < blob.size ? { blob: smaller, mediaType: "image/webp" } : { blob, mediaType: own };
}

/** A file from the user. `name` is empty if it was pasted without one. */
export interface AttachedFile {
  readonly name: string;
  readonly blob: Blob;
}

/** The result of reading a file: an attachment, with a remark if it was changed; a text; or a problem. */
export type ReadOutcome =
  | { readonly attachment: Attachment; readonly remark?: string }
  | { readonly text: string }
  | { readonly problem: string };

/** Reads a file according to its contents, not its name. */
export async function readAttachment(file: AttachedFile): Promise<ReadOutcome> {
  const { name, blob } = file;
  try {
    const head = await readBytes(blob.slice(0, headBytes));
    const kind = readFileKind(head);
    if (kind.kind === "other" && kind.name === undefined && !isBinary(head))
      return await readText(file, head);
    const problem = findProblem(name, blob.size, kind);
    if (problem !== undefined) return { problem };
    switch (kind.kind) {
      case "image":
        return await readImage(file);
      case "audio":
        return kind.format === undefined ? await readOtherAudio(file) : await readAudio(file, kind.format);
      case "other":
        return { problem: unreadable(name) };
      default:
        return assertNever(kind);
    }
  } catch {
    // The file was moved or removed in the meantime, or there isn't enough memory.
    return { problem: unreadable(name) };
  }
}

/** A file that is neither text nor a known type is identified by its first bytes. */
async function readText({ name, blob }: AttachedFile, [first]: Uint8Array): Promise<ReadOutcome> {
  if (blob.size === 0) return { problem: emptyFile(name) };
  if (isMediaPath(name)) return { problem: textInstead(name) };
  if (blob.size > maxTextBytes) return { problem: tooBig(name, blob.size, maxTextBytes) };
  const encoding = first === 0xff ? "utf-16le" : first === 0xfe ? "utf-16be" : "utf-8";
  return { text: new TextDecoder(encoding).decode(await blob.arrayBuffer()) };
}

async function readImage({ name, blob }: AttachedFile): Promise<ReadOutcome> {
  const facts = readImageFacts(await readBytes(blob));
  if (facts === undefined) return { problem: brokenImage(name) };
  const { width, height } = facts;
  if (width * height > maxPixels) return { problem: tooManyPixels(name, width, height) };
  const image = await prepareImage(blob, facts).catch(() => undefined);
  if (image === undefined) return { problem: brokenImage(name) };
  if (image.blob.size > maxAttachmentBytes) {
    return { problem: tooBig(name, image.blob.size, maxAttachmentBytes) };
  }
  const data = await blobToBase64(image.blob);
  const part = { type: "image", mediaType: image.mediaType, data, ...titleOf(name) } as const;
  const attachment = { part, facts: { width: image.width, height: image.height } };
  if (!image.isStilled) return { attachment };
  return { attachment, remark: t("Only the first frame of {0} is sent.", fileName(name)) };
}

async function readAudio({ name, blob }: AttachedFile, format: AudioPart["format"]): Promise<ReadOutcome> {
  const { seconds } = await readLength(blob).catch(() => ({ seconds: 0 }));
  if (!(seconds > 0)) return { problem: brokenAudio(name, format) };
  const part = { type: "audio", format, data: await blobToBase64(blob), ...titleOf(name) } as const;
  return { attachment: { part, facts: { seconds } } };
}

/** Audio in a format that models don't accept, or the audio of a video. */
async function readOtherAudio({ name, blob }: AttachedFile): Promise<ReadOutcome> {
  const maxSeconds = wavSeconds(maxAttachmentBytes);
  const audio = await convertAudio(blob, maxSeconds);
  if ("problem" in audio)
    return {
      problem:
        audio.problem === "tooLong" ? tooLong(name, audio.seconds, maxSeconds) : undecodableAudio(name),
    };
  const data = await blobToBase64(new Blob([audio.bytes]));
  const part = { type: "audio", format: "wav", data, ...titleOf(name) } as const;
  const attachment = { part, facts: { seconds: audio.seconds } };
  if (!audio.isVideo) return { attachment };
  return { attachment, remark: t("Only the audio of {0} is sent.", fileName(name)) };
}

function titleOf(name: string): { readonly title?: string } {
  return name === "" ? {} : { title: name };
}

async function readBytes(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer());
}
