import { createHash } from "node:crypto";
import type { ContentPart } from "../../core/conversation/completion.ts";
import { textColumn } from "./messageRow.ts";
import type { Row } from "./messageRow.ts";
import { isPartType } from "../../core/conversation/parseContentParts.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";

/** An attachment as stored in the tables. */
export interface AttachmentRow {
  readonly type: ContentPart["type"];
  /** The media type of an image, the format of audio, otherwise empty. */
  readonly format: string;
  /** The attachment's name; null if it doesn't have one. */
  readonly title: string | null;
  readonly hash: string;
  readonly data: Uint8Array | string;
}

/** Parts are never changed, and the hashes of a draft's parts are needed at every pause in typing. */
const hashes = new WeakMap<ContentPart, string>();

export function writeAttachment(part: ContentPart): AttachmentRow {
  const data = dataOf(part);
  const hash = hashOf(data);
  hashes.set(part, hash);
  return { type: part.type, format: formatOf(part), title: part.title ?? null, hash, data };
}

/** The row without its bytes, which are only read if their hash isn't known yet. */
export function nameAttachment(part: ContentPart): Omit<AttachmentRow, "data"> {
  const hash = hashes.get(part);
  return hash === undefined
    ? writeAttachment(part)
    : { type: part.type, format: formatOf(part), title: part.title ?? null, hash };
}

/** Whether the row's data matches its hash. */
export function isAttachmentIntact(row: Row): boolean {
  const { data } = row;
  return (typeof data === "string" || data instanceof Uint8Array) && hashOf(data) === row["hash"];
}

function hashOf(data: Uint8Array | string): string {
  return createHash("sha256")
    .update(typeof data)
    .update(data)
    .digest("hex");
}

function dataOf(part: ContentPart): Uint8Array | string {
  return part.type === "text" ? part.text : decodeBase64(part.data);
}

/** Empty if the row can't be parsed: a lost image must not hide the message. */
export function parseAttachment(row: Row): readonly ContentPart[] {
  const format = textColumn(row, "format");
  const content = encodeBase64(row["data"]);
  if (content === undefined) return [];
  const { type } = row;
  if (typeof type !== "string" || !isPartType(type)) return [];
  switch (type) {
    case "image":
      return [{ type: "image", mediaType: format, data: content, ...titleOf(row) }];
    case "audio":
      return format === "wav" || format === "mp3"
        ? [{ type: "audio", format, data: content, ...titleOf(row) }]
        : [];
    case "text":
      return [{ type: "text", text: content, ...titleOf(row) }];
    default:
      return assertNever(type);
  }
}

function titleOf(row: Row): { readonly title?: string } {
  const { title } = row;
  return typeof title === "string" ? { title } : {};
}

function formatOf(part: ContentPart): string {
  switch (part.type) {
    case "image":
      return part.mediaType;
    case "audio":
      return part.format;
    case "text":
      return "";
    default:
      return assertNever(part);
  }
}

/** Bytes take up a quarter less space. Text that wouldn't round-trip exactly is stored as it is. */
function decodeBase64(text: string): Uint8Array | string {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : text;
}

function encodeBase64(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (!(data instanceof Uint8Array)) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
}
