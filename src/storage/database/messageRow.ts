import { createHash } from "node:crypto";
import type { ContentPart, Role } from "../../core/conversation/completion.ts";
import type { Message, MessageStatus } from "../../core/conversation/conversation.ts";
import { parseContentParts, parseDetails } from "../../core/conversation/messageDetails.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";

/** An attachment as stored in the tables. */
interface AttachmentRow {
  readonly type: ContentPart["type"];
  /** The media type of an image, the format of audio, otherwise empty. */
  readonly format: string;
  /** The attachment's name; null if it doesn't have one. */
  readonly title: string | null;
  readonly hash: string;
  /** The text, or what images and audio contain as base64. */
  readonly data: string;
}

/** Parts are never changed, and the hashes of a draft's parts are needed at every pause in typing. */
const hashes = new WeakMap<ContentPart, string>();

/** The row of an attachment. The hash of its data is remembered for the next time. */
export function writeAttachment(part: ContentPart): AttachmentRow {
  const data = part.type === "text" ? part.text : part.data;
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

function hashOf(data: string): string {
  return createHash("sha256").update(data).digest("hex");
}

/** Empty if the row can't be parsed: a lost image must not hide the message. */
export function parseAttachment(row: Row): readonly ContentPart[] {
  const { data, format } = row;
  return parseContentParts([{ ...row, text: data, mediaType: format }]);
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

/** A row as returned by SQLite. Its columns are checked here because other versions may have written them. */
export type Row = Readonly<Record<string, unknown>>;

/** Parses a row as far as possible: a damaged column must not hide the others. */
export function parseMessageRow(row: Row, attachments: readonly ContentPart[]): Message {
  const parentId = textColumn(row, "parent_id");
  return {
    id: textColumn(row, "id"),
    role: parseRole(row["role"]),
    status: parseStatus(row["status"]),
    createdAt: numberColumn(row, "created_at"),
    text: textColumn(row, "text"),
    attachments,
    reasoning: textColumn(row, "reasoning"),
    ...parseDetails(row["details"]),
    ...(parentId === "" ? {} : { parentId }),
  };
}

/** The text of a column. Empty if it isn't text. */
export function textColumn(row: Row, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : "";
}

/** The number in a column; 0 if it contains something else. */
export function numberColumn(row: Row, name: string): number {
  const value = row[name];
  return typeof value === "number" ? value : 0;
}

/** The role in a stored message. Anything unknown counts as `user`. */
function parseRole(value: unknown): Role {
  return value === "system" || value === "assistant" || value === "tool" ? value : "user";
}

function parseStatus(value: unknown): MessageStatus {
  return value === "streaming" || value === "stopped" || value === "failed" ? value : "complete";
}

/** Node 22 reads text only up to its first NUL. Like CommonMark, this replaces NUL with U+FFFD. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}
