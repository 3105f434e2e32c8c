import type { ContentPart, ToolCall } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import {
  chainMessages,
  importedMessage,
  importedTitle,
  listField,
  mediaOf,
  nothingImported,
  parentsFirst,
  readDate,
} from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Parses a conversation of a claude.ai export. Newer exports contain all versions of a message. */
export function parseClaude(record: Fields, file: ImportFile): Imported {
  const id = stringField(record, "uuid");
  if (id === undefined || id === "") return { ...nothingImported, leftOut: 1 };
  let leftOut = 0;
  const createdAt = readDate(record, "created_at") ?? file.modifiedAt;
  const ids = new Map<string, string>();
  const messages = listField(record, "chat_messages").flatMap((value, index): readonly Message[] => {
    const parsed = isRecord(value)
      ? parseMessage(value, { id: `${id}-${index}`, createdAt, file, ids })
      : undefined;
    leftOut += parsed?.leftOut ?? 1;
    return parsed?.messages ?? [];
  });
  if (messages.length === 0) return { ...nothingImported, leftOut };
  const isTree = messages.some(({ parentId }) => parentId !== undefined);
  const leaf = ids.get(stringField(record, "current_leaf_message_uuid") ?? "");
  const conversation: Conversation = {
    id: `claude-${id}`,
    title: importedTitle(stringField(record, "name"), messages),
    createdAt,
    updatedAt: readDate(record, "updated_at") ?? messages.at(-1)?.createdAt ?? createdAt,
    messages: isTree ? parentsFirst(messages) : chainMessages(messages),
    ...(leaf === undefined ? {} : { leafId: leaf }),
  };
  return { conversations: [conversation], leftOut };
}

interface Place {
  readonly id: string;
  readonly createdAt: number;
  readonly file: ImportFile;
  /** The last message that each record became. */
  readonly ids: Map<string, string>;
}

/** A turn of the assistant with tool results becomes several messages in sequence. */
function parseMessage(
  record: Fields,
  { id: fallbackId, createdAt: fallbackTime, file, ids }: Place,
): { readonly messages: readonly Message[]; readonly leftOut: number } | undefined {
  const sender = record["sender"] ?? record["role"];
  const role =
    sender === "human" || sender === "user" ? "user" : sender === "assistant" ? "assistant" : undefined;
  if (role === undefined) return undefined;
  const uuid = stringField(record, "uuid") ?? fallbackId;
  const parent = stringField(record, "parent_message_uuid");
  const createdAt = readDate(record, "created_at") ?? fallbackTime;
  const { attachments, leftOut } = readAttachments(record, file);
  const turn = new Turn(
    uuid,
    createdAt,
    role,
    parent === undefined ? undefined : (ids.get(parent) ?? parent),
  );
  const blocks = listField(record, "content").filter(isRecord);
  for (const block of blocks) turn.take(block);
  turn.end(blocks.length > 0 && turn.hasText ? "" : (stringField(record, "text") ?? ""), attachments);
  const last = turn.messages.at(-1);
  if (last === undefined) return leftOut > 0 ? { messages: [], leftOut } : undefined;
  ids.set(uuid, last.id);
  return { messages: turn.messages, leftOut };
}

/** Divides the blocks of one record into messages: what follows a tool's result is a new response. */
class Turn {
  readonly messages: Message[] = [];
  readonly #uuid: string;
  readonly #createdAt: number;
  readonly #role: "user" | "assistant";
  #parentId: string | undefined;
  #texts: string[] = [];
  #reasoning: string[] = [];
  #calls: ToolCall[] = [];
  hasText = false;

  constructor(uuid: string, createdAt: number, role: "user" | "assistant", parentId: string | undefined) {
    this.#uuid = uuid;
    this.#createdAt = createdAt;
    this.#role = role;
    this.#parentId = parentId;
  }

  take(block: Fields): void {
    const text = stringField(block, "text") ?? "";
    switch (block["type"]) {
      case "thinking":
        this.#reasoning.push(stringField(block, "thinking") ?? text);
        return;
      case "tool_use":
        this.#calls.push({
          id: stringField(block, "id") ?? `${this.#uuid}-call-${this.#calls.length}`,
          name: stringField(block, "name") ?? "tool",
          arguments: JSON.stringify(block["input"] ?? {}),
        });
        return;
      case "tool_result":
        return this.#takeResult(block);
      default:
        if (text === "") return;
        this.hasText = true;
        this.#texts.push(text);
    }
  }

  /** @param text The text of the record, if its blocks contain none. */
  end(text: string, attachments: readonly ContentPart[]): void {
    if (text !== "") this.#texts.push(text);
    this.#flush(attachments);
  }

  #takeResult(block: Fields): void {
    const open = this.#calls;
    if (open.length > 0) this.#flush([]);
    const content = block["content"];
    const text =
      typeof content === "string"
        ? content
        : listField(block, "content")
            .filter(isRecord)
            .flatMap((part) => stringField(part, "text") ?? [])
            .join("\n\n");
    const calls =
      open.length > 0 ? open : (this.messages.findLast(({ role }) => role === "assistant")?.toolCalls ?? []);
    const answered = new Set(this.messages.map(({ toolCallId }) => toolCallId));
    const toolCallId = stringField(block, "tool_use_id") ?? calls.find(({ id }) => !answered.has(id))?.id;
    if (toolCallId !== undefined) this.#add({ role: "tool", text, toolCallId });
  }

  #flush(attachments: readonly ContentPart[]): void {
    const [text, reasoning] = [this.#texts.join("\n\n"), this.#reasoning.join("\n\n")];
    const toolCalls = this.#calls;
    [this.#texts, this.#reasoning, this.#calls] = [[], [], []];
    if (text === "" && reasoning === "" && toolCalls.length === 0 && attachments.length === 0) return;
    this.#add({ role: this.#role, text, reasoning, toolCalls, attachments });
  }

  #add(fields: Pick<Message, "role"> & Partial<Message>): void {
    const id = this.messages.length === 0 ? this.#uuid : `${this.#uuid}-${this.messages.length}`;
    const parent = this.#parentId === undefined ? {} : { parentId: this.#parentId };
    this.messages.push(importedMessage({ ...fields, id, createdAt: this.#createdAt, ...parent }));
    // Without versions, messages are chained afterwards.
    if (this.#parentId !== undefined) this.#parentId = id;
  }
}

/** Texts that the export contains, and images that are in the same archive. Other files are only named. */
function readAttachments(
  record: Fields,
  file: ImportFile,
): { readonly attachments: readonly ContentPart[]; readonly leftOut: number } {
  const texts = listField(record, "attachments").filter(isRecord);
  const files = [...listField(record, "files"), ...listField(record, "files_v2")].filter(isRecord);
  const names = new Set<string>();
  let leftOut = 0;
  const attachments = [...texts, ...files].flatMap((item): readonly ContentPart[] => {
    const title = stringField(item, "file_name") ?? "";
    const text = stringField(item, "extracted_content") ?? "";
    if (text !== "") return [{ type: "text", text, ...(title === "" ? {} : { title }) }];
    if (title !== "" && names.has(title)) return [];
    names.add(title);
    const media = [stringField(item, "file_uuid"), stringField(item, "uuid"), title]
      .map((name) => (name === undefined || name === "" ? [] : mediaOf(file.asset?.(name))))
      .find((found) => found.length > 0);
    if (media === undefined) leftOut++;
    return (media ?? []).map((part) => ({ ...part, title }));
  });
  return { attachments, leftOut };
}
