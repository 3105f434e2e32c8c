import type { Conversation } from "../../conversation/conversation.ts";

/** Says what the file is; the importer looks for it. */
export const exportFormat = "inference-gateway-conversations";
export const exportVersion = 1;

/** Everything there is: all versions, settings, attachments. It comes in again as it went out. */
export function exportJson(conversations: readonly Conversation[], now: number): string {
  const exportedAt = new Date(now).toISOString();
  return `${JSON.stringify({ format: exportFormat, version: exportVersion, exportedAt, conversations }, undefined, 2)}\n`;
}
