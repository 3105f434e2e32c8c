import { t } from "@vscode/l10n";
import { readFileKind } from "../../../core/compose/attachments/fileKind.ts";
import { maxPixels } from "../../../core/compose/attachments/limits.ts";
import type { AttachmentLimits } from "../../../core/compose/attachments/limits.ts";
import { readPictureFacts } from "../../../core/compose/attachments/pictureFacts.ts";
import {
  brokenPicture,
  brokenRecording,
  emptyFile,
  fileName,
  findProblem,
  tooBig,
  tooManyPixels,
  unreadable,
} from "../../../core/compose/attachments/problems.ts";
import { headBytes, isBinary, maxTextBytes } from "../../../core/compose/context/textContent.ts";
import { readSeconds } from "../../../core/compose/attachments/soundFacts.ts";
import type { AudioPart } from "../../../core/conversation/completion.ts";
import type { Attachment } from "./attachment.ts";
import { encodeBase64 } from "./base64.ts";
import { preparePicture } from "./pictures.ts";

/** A file from the user; `name` is empty for what was pasted without one. */
export interface AttachedFile {
  readonly name: string;
  readonly blob: Blob;
}

/** What became of a file: an attachment, with a remark where it isn't what the user gave; a text; or why it is none. */
export type ReadOutcome =
  | { readonly attachment: Attachment; readonly remark?: string }
  | { readonly text: string }
  | { readonly problem: string };

/** Reads a file by what it is, not by what it is called. */
export async function readAttachment(file: AttachedFile, limits: AttachmentLimits): Promise<ReadOutcome> {
  const { name, blob } = file;
  try {
    const head = await readBytes(blob.slice(0, headBytes));
    const kind = readFileKind(head);
    if (kind.kind === "other" && kind.name === undefined && !isBinary(head))
      return await readText(file, head);
    const problem = findProblem(name, blob.size, kind, limits);
    if (problem !== undefined) return { problem };
    if (kind.kind === "picture") return await readPicture(file, limits);
    return kind.kind === "recording" ? await readRecording(file, kind.format) : { problem: unreadable(name) };
  } catch {
    // Moved or removed since it was given, or out of memory.
    return { problem: unreadable(name) };
  }
}

/** What is no text, and no kind that is known either, is told by its first bytes. */
async function readText({ name, blob }: AttachedFile, [first]: Uint8Array): Promise<ReadOutcome> {
  if (blob.size === 0) return { problem: emptyFile(name) };
  if (blob.size > maxTextBytes) return { problem: tooBig(name, blob.size, maxTextBytes) };
  const encoding = first === 0xff ? "utf-16le" : first === 0xfe ? "utf-16be" : "utf-8";
  return { text: new TextDecoder(encoding).decode(await blob.arrayBuffer()) };
}

async function readPicture({ name, blob }: AttachedFile, limits: AttachmentLimits): Promise<ReadOutcome> {
  const facts = readPictureFacts(await readBytes(blob));
  if (facts === undefined) return { problem: brokenPicture(name) };
  const { width, height } = facts;
  if (width * height > maxPixels) return { problem: tooManyPixels(name, width, height) };
  const picture = await preparePicture(blob, facts, limits).catch(() => undefined);
  if (picture === undefined) return { problem: brokenPicture(name) };
  if (picture.blob.size > limits.maxBytes) {
    return { problem: tooBig(name, picture.blob.size, limits.maxBytes) };
  }
  const data = await encodeBase64(picture.blob);
  const part = { type: "image", mediaType: picture.mediaType, data, ...titleOf(name) } as const;
  const attachment = { part, facts: { width: picture.width, height: picture.height } };
  if (!picture.isStilled) return { attachment };
  return { attachment, remark: t("Only the first frame of {0} is sent.", fileName(name)) };
}

async function readRecording(
  { name, blob }: AttachedFile,
  format: AudioPart["format"],
): Promise<ReadOutcome> {
  const seconds = readSeconds(format, await readBytes(blob));
  if (seconds === undefined) return { problem: brokenRecording(name, format) };
  const part = { type: "audio", format, data: await encodeBase64(blob), ...titleOf(name) } as const;
  return { attachment: { part, facts: { seconds } } };
}

function titleOf(name: string): { readonly title?: string } {
  return name === "" ? {} : { title: name };
}

async function readBytes(blob: Blob): Promise<Uint8Array> {
  return new Uint8Array(await blob.arrayBuffer());
}
