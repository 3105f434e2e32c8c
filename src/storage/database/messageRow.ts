import type { ContentPart, Role } from "../../core/conversation/completion.ts";
import type { Message, MessageStatus } from "../../core/conversation/conversation.ts";
import { parseDetails } from "../../core/conversation/messageDetails.ts";
import type { StreamLease } from "./streamLease.ts";

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

/** The text of a column; empty if it is something else. */
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
