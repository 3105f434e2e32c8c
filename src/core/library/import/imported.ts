import type { Conversation, Message } from "../../conversation/conversation.ts";
import { conversationTitle } from "../../conversation/conversationTitle.ts";
import type { ImagePart } from "../../conversation/completion.ts";
import { numberField } from "../../kernel/json.ts";

/** The conversations imported from another program's file. */
export interface Imported {
  readonly conversations: readonly Conversation[];
  /** Number of conversations and messages that couldn't be read, and of images that aren't in the file. */
  readonly leftOut: number;
}

export const nothingImported: Imported = { conversations: [], leftOut: 0 };

/** The file of a record, for facts that the record itself doesn't contain. */
export interface ImportFile {
  /** The path of the file, with either kind of slash. */
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
}

export function joinImported(parts: readonly Imported[]): Imported {
  return {
    conversations: parts.flatMap(({ conversations }) => conversations),
    leftOut: parts.reduce((sum, { leftOut }) => sum + leftOut, 0),
  };
}

/** Creates a message with defaults for everything that isn't specified. */
export function importedMessage(
  fields: Pick<Message, "id" | "role" | "createdAt"> & Partial<Message>,
): Message {
  return { status: "complete", text: "", attachments: [], reasoning: "", toolCalls: [], ...fields };
}

/** Makes every message follow the one before it. */
export function chainMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => {
    const before = messages[index - 1];
    return before === undefined ? message : { ...message, parentId: before.id };
  });
}

/** The title in the record, or the first words that the user wrote. */
export function importedTitle(title: string | undefined, messages: readonly Message[]): string {
  const first = messages.find(({ role, text }) => role === "user" && text.trim() !== "");
  return title === undefined || title.trim() === ""
    ? conversationTitle(first?.text ?? "")
    : conversationTitle(title);
}

/** The image in a `data:` URL. Empty for any other value. */
export function dataUrlImage(url: unknown): readonly ImagePart[] {
  if (typeof url !== "string") return [];
  const match = /^data:(image\/[\w.+-]+);base64,/u.exec(url.slice(0, 100));
  const mediaType = match?.[1];
  return match === null || mediaType === undefined
    ? []
    : [{ type: "image", mediaType, data: url.slice(match[0].length) }];
}

/** The latest time that a date can represent, in milliseconds since 1970. */
const farthest = 8.64e15;

/** The field as whole milliseconds since 1970; undefined if it isn't a time, or is beyond the range of a date. */
export function readTime(
  record: Readonly<Record<string, unknown>>,
  name: string,
  unit: "ms" | "s" = "ms",
): number | undefined {
  const time = Math.round((numberField(record, name) ?? NaN) * (unit === "s" ? 1_000 : 1));
  return Math.abs(time) <= farthest ? time : undefined;
}
