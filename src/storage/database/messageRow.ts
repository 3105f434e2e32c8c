import type { ContentPart, Role } from "../../core/conversation/completion.ts";
import type { Message, MessageStatus } from "../../core/conversation/conversation.ts";
import { parseDetails } from "../../core/conversation/messageDetails.ts";
import type { StreamLease } from "./streamLease.ts";
import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

/** A row as SQLite returns it. The columns are checked here, whoever wrote them. */
export type Row = Readonly<Record<string, unknown>>;

/** Reads a row as far as it can be read: a broken column must not hide what the others say. */
export function parseMessageRow(row: Row, attachments: readonly ContentPart[]): Message {
  return {
    id: textColumn(row, "id"),
    role: parseRole(row["role"]),
    status: parseStatus(row["status"]),
    createdAt: numberColumn(row, "created_at"),
    text: textColumn(row, "text"),
    attachments,
    reasoning: textColumn(row, "reasoning"),
    ...parseDetails(row["details"]),
  };
}

export function parseLease(row: Row): StreamLease {
  return {
    host: textColumn(row, "writer_host"),
    processId: numberColumn(row, "writer_pid"),
    process: textColumn(row, "writer_process"),
    aliveAt: numberColumn(row, "writer_alive_at"),
  };
}

/** The text of a column. Empty if it isn't text. */
export function textColumn(row: Row, name: string): string {
  const value = row[name];
  return typeof value === "string" ? value : "";
}

/** The number of a column; 0 if it is something else. */
export function numberColumn(row: Row, name: string): number {
  const value = row[name];
  return typeof value === "number" ? value : 0;
}

export function parseRole(value: unknown): Role {
  return value === "system" || value === "assistant" || value === "tool" ? value : "user";
}

function parseStatus(value: unknown): MessageStatus {
  return value === "streaming" || value === "stopped" || value === "failed" ? value : "complete";
}

/** Node 22 reads a text back only up to its first NUL; CommonMark, too, has U+FFFD take its place. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}

/** The columns of a message that its checksum is of, in this order. Its status and its writer change on their own. */
const checkedColumns: readonly string[] = [
  "conversation_id",
  "id",
  "role",
  "created_at",
  "text",
  "reasoning",
  "details",
  "parent_id",
];

/** A statement's right-hand side that computes the checksum of a message's row. */
export const checksumOfRow = `message_checksum(${checkedColumns.join(", ")})`;

/** Makes the function of `checksumOfRow` known to the database's statements. */
export function defineChecksum(database: DatabaseSync): void {
  database.function("message_checksum", { deterministic: true, varargs: true }, checksumOf);
}

/** CRC-32 of values as SQLite gives them. */
export function checksumOf(...values: readonly unknown[]): number {
  let sum = 0;
  for (const value of values)
    sum = crc32("\0", crc32(typeof value === "string" ? value : String(value), sum));
  return sum;
}

/** Whether the row is not what was written. A row without a checksum was written by an older version. */
export function isAltered(row: Row): boolean {
  const { checksum } = row;
  return typeof checksum === "number" && checksum !== checksumOf(...checkedColumns.map((name) => row[name]));
}

/** The same of a row of what a message grew by. */
export function isGrowthAltered({ checksum, text, reasoning }: Row): boolean {
  return typeof checksum === "number" && checksum !== checksumOf(text, reasoning);
}
