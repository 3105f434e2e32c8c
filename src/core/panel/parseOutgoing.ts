import { stringField } from "../kernel/json.ts";
import { parseContentParts } from "../conversation/parseContentParts.ts";
import type { FromWebview } from "./protocol.ts";

/** What the page tells of texts that the user writes. */
export type OutgoingMessage = Extract<FromWebview, { readonly type: "send" | "compare" | "edit" | "draft" }>;

/** Checks what comes from the page; undefined for anything else. */
export function parseOutgoing(record: Readonly<Record<string, unknown>>): OutgoingMessage | undefined {
  const text = stringField(record, "text");
  if (text === undefined) return undefined;
  const attachments = parseContentParts(record["attachments"]);
  switch (record["type"]) {
    case "send":
    case "compare":
      return { type: record["type"], text, attachments };
    case "draft":
      return record["attachments"] === undefined
        ? { type: "draft", text }
        : { type: "draft", text, attachments };
    case "edit": {
      const messageId = stringField(record, "messageId");
      return messageId === undefined ? undefined : { type: "edit", messageId, text, attachments };
    }
    default:
      return undefined;
  }
}
