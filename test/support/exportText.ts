import type { Conversation } from "../../src/core/conversation/conversation.ts";
import { exportPieces } from "../../src/core/library/history/exportPieces.ts";

/** The file that an export writes. */
export function exportText(conversation: Conversation, format: "md" | "json", now = 0): string {
  return [...exportPieces(conversation, format, now)].join("");
}
