import { readBase64Kind } from "../../conversation/fileKind.ts";
import type { AudioPart, ContentPart, ImagePart, ToolCall } from "../../conversation/completion.ts";
import { messageLength } from "../../conversation/conversation.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { conversationTitle } from "../../conversation/conversationTitle.ts";
import { isRecord, numberField, recordsIn, stringField } from "../../kernel/json.ts";
import type { JsonRecord } from "../../kernel/json.ts";

/** Maximum characters of text, images and audio in a slice, unless a single conversation is longer. */
const sliceLength = 1_000_000;

/** Divides the conversations into slices that can be processed without a noticeable pause; there is at least one. */
export function* importSlices({ conversations, leftOut }: Imported): Generator<Imported> {
  let [first, length] = [0, 0];
  for (const [index, { messages }] of conversations.entries()) {
    length += messages.reduce((sum, message) => sum + messageLength(message), 0);
    if (length < sliceLength) continue;
    yield { conversations: conversations.slice(first, index + 1), leftOut: 0 };
    [first, length] = [index + 1, 0];
  }
  yield { conversations: conversations.slice(first), leftOut };
}

/** The conversations imported from another program's file. */
export interface Imported {
  readonly conversations: readonly Conversation[];
  /** Number of conversations and messages that couldn't be read, and of images that aren't in the file. */
  readonly leftOut: number;
}

/** The messages of a record, and how many of its parts couldn't be read or aren't in the file. */
export interface ImportedMessages {
  readonly messages: readonly Message[];
  readonly leftOut: number;
}

/** Parses each record of a list. What isn't a record, or for which nothing is returned, counts as left out. */
export function importRecords(
  values: readonly unknown[],
  parse: (record: JsonRecord, index: number) => ImportedMessages | undefined,
): ImportedMessages {
  const parsed = values.map((value, index) => (isRecord(value) ? parse(value, index) : undefined));
  return {
    messages: parsed.flatMap((each) => each?.messages ?? []),
    leftOut: parsed.reduce((sum, each) => sum + (each?.leftOut ?? 1), 0),
  };
}

interface ConversationFields extends Pick<Conversation, "id" | "createdAt" | "isPinned"> {
  readonly title: string | undefined;
  readonly updatedAt: number | undefined;
  readonly leafId?: string | undefined;
}

/** The conversation with these messages; none if there are none. */
export function importedConversation(
  { title, updatedAt, leafId, ...fields }: ConversationFields,
  { messages, leftOut }: ImportedMessages,
): Imported {
  if (messages.length === 0) return { conversations: [], leftOut };
  const conversation: Conversation = {
    ...fields,
    title: importedTitle(title, messages),
    updatedAt: updatedAt ?? messages.at(-1)?.createdAt ?? fields.createdAt,
    messages,
    ...(leafId === undefined ? {} : { leafId }),
  };
  return { conversations: [conversation], leftOut };
}

/** The parts that were found for each reference in a record. A reference without any counts as left out. */
export function gatherParts(found: readonly (readonly ContentPart[])[]): {
  readonly attachments: readonly ContentPart[];
  readonly leftOut: number;
} {
  return { attachments: found.flat(), leftOut: found.filter(({ length }) => length === 0).length };
}

/** The texts of the parts in a list. */
export function textsIn(parts: unknown): string {
  return recordsIn(parts)
    .flatMap((part) => stringField(part, "text") ?? [])
    .join("\n\n");
}

/** The file of a record, for facts that the record itself doesn't contain. */
export interface ImportFile {
  /** Milliseconds since 1970. */
  readonly modifiedAt: number;
  /** The content of a file in the same archive as base64, by the start of its name; undefined if there is none. */
  asset?(name: string): string | undefined;
  /** The content of a file that is text, found in the same way. */
  text?(name: string): string | undefined;
}

/** The results of several files of one export as one result. */
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
  const { role, settings } = fields;
  return {
    status: "complete",
    ...{ text: "", attachments: [], reasoning: "", toolCalls: [] },
    ...fields,
    ...(settings === undefined ? {} : { settings: { parameters: settings.parameters ?? {} } }),
    // What a file says isn't an instruction of the user's, but it stays readable.
    role: role === "system" ? "user" : role,
    isImported: true,
  };
}

/** Makes every message follow the one before it. */
export function chainMessages(messages: readonly Message[]): readonly Message[] {
  return messages.map((message, index) => {
    const before = messages[index - 1];
    return before === undefined ? message : { ...message, parentId: before.id };
  });
}

/** The arguments of a tool call as JSON text; empty if they are nested deeper than those of any tool. */
export function importedArguments(input: unknown): string {
  try {
    return typeof input === "string" ? input : JSON.stringify(input ?? {});
  } catch {
    return "{}";
  }
}

/** Divides a record of another program into messages: what follows the result of a tool is a message of its own. */
export class ImportedTurn {
  readonly messages: Message[] = [];
  /** Whether any text was written. */
  hasText = false;
  readonly #head: Pick<Message, "id" | "role" | "createdAt"> & Partial<Message>;
  #texts: string[] = [];
  #reasoning: string[] = [];
  #calls: ToolCall[] = [];
  readonly #separator: string;

  /**
   * @param head What the messages have in common. Without a parent, they aren't chained, which the caller does.
   * @param separator What is between two texts.
   */
  constructor(head: Pick<Message, "id" | "role" | "createdAt"> & Partial<Message>, separator = "\n\n") {
    this.#head = head;
    this.#separator = separator;
  }

  /** Adds text to the response. */
  write(text: string): void {
    if (text === "") return;
    this.hasText = true;
    this.#texts.push(text);
  }

  /** Adds reasoning to the response. */
  think(text: string): void {
    if (text !== "") this.#reasoning.push(text);
  }

  /** Adds a tool call. `args` is JSON text; without an ID, the call gets one that is the same for every import. */
  call(name: string, args: string, id: string | undefined): void {
    const otherwise = `${this.#head.id}-call-${this.messages.length}-${this.#calls.length}`;
    this.#calls.push({ id: id ?? otherwise, name, arguments: args });
  }

  /** @param callId The call that it responds to; by default the first one without a result. */
  result(text: string, callId: string | undefined): void {
    if (this.#calls.length > 0) this.#flush({});
    const toolCallId = callId ?? this.#unansweredCall();
    if (toolCallId !== undefined) this.#add({ role: "tool", text, toolCallId });
  }

  /** The first call of the last message with calls that has no result yet. */
  #unansweredCall(): string | undefined {
    const at = this.messages.findLastIndex(({ toolCalls }) => toolCalls.length > 0);
    if (at === -1) return undefined;
    const answered = new Set(this.messages.slice(at).map(({ toolCallId }) => toolCallId));
    return this.messages[at]?.toolCalls.find(({ id }) => !answered.has(id))?.id;
  }

  /** @param fields Fields of the last message. A message without any content is added only for an error. */
  end(fields: Partial<Message>): void {
    this.#flush(fields);
  }

  #flush(fields: Partial<Message>): void {
    const [text, reasoning] = [this.#texts.join(this.#separator), this.#reasoning.join(this.#separator)];
    const toolCalls = this.#calls;
    [this.#texts, this.#reasoning, this.#calls] = [[], [], []];
    const hasContent = text !== "" || reasoning !== "" || toolCalls.length > 0;
    if (!hasContent && (fields.attachments ?? []).length === 0 && fields.error === undefined) return;
    const { role, model } = this.#head;
    this.#add({ role, text, reasoning, toolCalls, ...(model === undefined ? {} : { model }), ...fields });
  }

  #add(fields: Pick<Message, "role"> & Partial<Message>): void {
    const { id, createdAt, parentId } = this.#head;
    const before = this.messages.at(-1)?.id;
    const follows = parentId === undefined ? undefined : (before ?? parentId);
    this.messages.push(
      importedMessage({
        ...fields,
        id: before === undefined ? id : `${id}-${this.messages.length}`,
        createdAt,
        ...(follows === undefined ? {} : { parentId: follows }),
      }),
    );
  }
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

/** The image or audio with this content, whose type is recognized by its first bytes. Empty for any other content. */
export function mediaOf(data: string | undefined): readonly (ImagePart | AudioPart)[] {
  const kind = readBase64Kind(data ?? "");
  if (data === undefined || kind.kind === "other") return [];
  if (kind.kind === "image") return [{ type: "image", mediaType: kind.mediaType, data }];
  return kind.format === undefined ? [] : [{ type: "audio", format: kind.format, data }];
}

/** The image, audio or text of this name in the same archive. Empty if there is none, or for any other content. */
export function attachedFile(
  name: string | undefined,
  title: string | undefined,
  file: ImportFile,
): readonly ContentPart[] {
  if (name === undefined || name === "") return [];
  const named = title === undefined || title === "" ? {} : { title };
  const media = mediaOf(file.asset?.(name));
  if (media.length > 0) return media.map((part) => ({ ...part, ...named }));
  const text = file.text?.(name) ?? "";
  return text.trim() === "" ? [] : [{ type: "text", text, ...named }];
}

/** A block of code in Markdown, whatever the code contains. Empty for no code. */
export function fencedCode(code: string, language = ""): string {
  if (code === "") return "";
  const longest = (code.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 2);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${code}\n${marks}`;
}

/** Puts every parent before its children and drops parents that don't exist. Takes linear time. */
export function parentsFirst(messages: readonly Message[]): readonly Message[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const placed = new Map<string, Message>();
  for (const message of byId.values()) {
    const branch = new Map<string, Message>();
    for (
      let next: Message | undefined = message;
      next !== undefined && !placed.has(next.id) && !branch.has(next.id);
    ) {
      branch.set(next.id, next);
      next = byId.get(next.parentId ?? "");
    }
    for (const step of [...branch.values()].toReversed()) {
      const { parentId, ...rest } = step;
      placed.set(step.id, parentId === undefined || placed.has(parentId) ? step : rest);
    }
  }
  return [...placed.values()];
}

/** The latest time that a date can represent, in milliseconds since 1970. */
const farthest = 8.64e15;

/** The field as milliseconds since 1970 if it is a date as text, such as `2026-11-21T09:40:00Z`, or a number. */
export function readDate(record: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const text = stringField(record, name);
  const time = text === undefined ? NaN : Date.parse(text);
  if (!Number.isNaN(time)) return time;
  // Seconds since 1970 stay below this for thousands of years.
  return readTime(record, name, (numberField(record, name) ?? 0) < 1e11 ? "s" : "ms");
}

/** The values of a list; none for anything else. */
export function listField(record: Readonly<Record<string, unknown>>, name: string): readonly unknown[] {
  const value = record[name];
  return Array.isArray(value) ? value : [];
}

/** The field as whole milliseconds since 1970; undefined if it isn't a time, or is beyond the range of a date. */
export function readTime(
  record: Readonly<Record<string, unknown>>,
  name: string,
  unit: "ms" | "s" = "ms",
): number | undefined {
  const time = Math.round((numberField(record, name) ?? NaN) * (unit === "s" ? 1_000 : 1));
  return Math.abs(time) <= farthest ? time : undefined;
}
