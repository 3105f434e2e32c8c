import type { ContentPart } from "../../../core/conversation/completion.ts";
import type * as attachmentViews from "./attachmentViews.ts";

let views: typeof attachmentViews | undefined;

/** Whether these attachments can be shown: the code that shows and reads them is loaded with the first ones. */
export function canShowAttachments(parts: readonly ContentPart[]): boolean {
  return views !== undefined || parts.length === 0;
}

/** Loads the code for attachments, once. */
export async function loadAttachmentViews(): Promise<typeof attachmentViews> {
  views ??= await import("./attachmentViews.ts");
  return views;
}

/** The attachments of a message, as a list. Empty if it has none. */
export function createMessageAttachments(parts: readonly ContentPart[]): readonly HTMLElement[] {
  return parts.length === 0 ? [] : [loadedAttachmentViews().createAttachmentList(parts)];
}

/** Throws if they aren't loaded. Messages with attachments reach the page only after that (see `ReceiveQueue`). */
export function loadedAttachmentViews(): typeof attachmentViews {
  if (views !== undefined) return views;
  throw new Error("An attachment was shown before its views were loaded.");
}
