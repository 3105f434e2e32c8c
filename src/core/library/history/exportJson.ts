import type { Conversation } from "../../conversation/conversation.ts";

/** Identifies the format of the file; the importer checks it. */
export const exportFormat = "inference-gateway-conversations";
export const exportVersion = 1;

/** Exports everything: all versions, settings and attachments. Importing the file restores it unchanged. */
export function exportJson(conversations: readonly Conversation[], now: number): string {
  const exportedAt = new Date(now).toISOString();
  return `${JSON.stringify({ format: exportFormat, version: exportVersion, exportedAt, conversations }, undefined, 2)}\n`;
}

/** In UTF-16 units, without the extension. */
const longest = 80;

/** A file name for a conversation's title that every file system accepts. */
export function exportFileName(title: string, extension: "md" | "json"): string {
  const name = title
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu, " ")
    .replace(/\s+/gu, " ")
    .slice(0, longest)
    .replace(/^[. ]+|(?<![. ])[. ]+$/gu, "");
  return `${name === "" || isReserved(name) ? `conversation ${name}`.trim() : name}.${extension}`;
}

/** Device names on Windows. */
function isReserved(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/iu.test(name.split(".")[0] ?? "");
}
