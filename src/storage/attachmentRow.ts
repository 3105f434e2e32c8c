import { createHash } from "node:crypto";
import type { ContentPart } from "../core/completion.ts";
import { textColumn } from "./messageRow.ts";
import type { Row } from "./messageRow.ts";

/** An attachment as the tables have it. */
export interface AttachmentRow {
  readonly type: ContentPart["type"];
  /** The media type of a picture, the format of a recording; else empty. */
  readonly format: string;
  /** What a text is called; null for anything else. */
  readonly title: string | null;
  readonly hash: string;
  readonly data: Uint8Array | string;
}

export function writeAttachment(part: ContentPart): AttachmentRow {
  const content = part.type === "text" ? part.text : part.data;
  const data = part.type === "text" ? content : decodeBase64(content);
  return {
    type: part.type,
    format: formatOf(part),
    title: part.type === "text" ? (part.title ?? null) : null,
    hash: createHash("sha256")
      .update(typeof data)
      .update(data)
      .digest("hex"),
    data,
  };
}

/** Nothing where the row can't be understood: a lost picture must not hide the message. */
export function parseAttachment(row: Row): readonly ContentPart[] {
  const format = textColumn(row, "format");
  const content = encodeBase64(row["data"]);
  if (content === undefined) return [];
  switch (row["type"]) {
    case "image":
      return [{ type: "image", mediaType: format, data: content }];
    case "audio":
      return format === "wav" || format === "mp3" ? [{ type: "audio", format, data: content }] : [];
    case "text":
      return [{ type: "text", text: content, ...titleOf(row) }];
    default:
      return [];
  }
}

function titleOf(row: Row): { readonly title?: string } {
  const { title } = row;
  return typeof title === "string" ? { title } : {};
}

function formatOf(part: ContentPart): string {
  if (part.type === "image") return part.mediaType;
  return part.type === "audio" ? part.format : "";
}

/** Bytes take three quarters of the room. What would not come back letter by letter stays text. */
function decodeBase64(text: string): Uint8Array | string {
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : text;
}

function encodeBase64(data: unknown): string | undefined {
  if (typeof data === "string") return data;
  if (!(data instanceof Uint8Array)) return undefined;
  return Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString("base64");
}
