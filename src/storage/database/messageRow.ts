import type { ContentPart, Role } from "../../core/conversation/completion.ts";
import type { Message, MessageStatus } from "../../core/conversation/conversation.ts";
import { parseDetails } from "../../core/conversation/messageDetails.ts";
import type { StreamLease } from "./streamLease.ts";
import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";

/** A row as returned by SQLite. Its columns are checked here because other versions may have written them. */
export type Row = Readonly<Record<string, unknown>>;

/** Parses a row as far as possible: a damaged column must not hide the others. */
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

/** The number in a column; 0 if it contains something else. */
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

/** Node 22 reads text only up to its first NUL. Like CommonMark, this replaces NUL with U+FFFD. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}

/**
 * The columns of a message that are part of its checksum, in this order, in which they are also written. Its status and writer change independently.
 */
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

/** Defines the function of `checksumOfRow` for the database's statements. */
export function defineChecksum(database: DatabaseSync): void {
  database.function("message_checksum", { deterministic: true, varargs: true }, checksumOf);
}

/** CRC-32 of values as returned by SQLite. */
export function checksumOf(...values: readonly unknown[]): number {
  let sum = 0;
  for (const value of values)
    sum = crc32("\0", crc32(typeof value === "string" ? value : String(value), sum));
  return sum;
}

/** Whether the row differs from what was written. A row without a checksum was written by an older version. */
export function isAltered(row: Row): boolean {
  const { checksum } = row;
  return typeof checksum === "number" && checksum !== checksumOf(...checkedColumns.map((name) => row[name]));
}

/** The same check for a row of message growth. */
export function isGrowthAltered({ checksum, text, reasoning }: Row): boolean {
  return typeof checksum === "number" && checksum !== checksumOf(text, reasoning);
}
