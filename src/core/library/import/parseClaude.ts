import type { ContentPart } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import {
  importedArguments,
  chainMessages,
  ImportedTurn,
  importedTitle,
  listField,
  attachedFile,
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
  const turn = new ImportedTurn({
    ...{ id: uuid, createdAt, role },
    ...(parent === undefined ? {} : { parentId: ids.get(parent) ?? parent }),
  });
  const blocks = listField(record, "content").filter(isRecord);
  for (const block of blocks) takeBlock(turn, block);
  if (!turn.hasText) turn.write(stringField(record, "text") ?? "");
  turn.end({ attachments });
  const last = turn.messages.at(-1);
  if (last === undefined) return leftOut > 0 ? { messages: [], leftOut } : undefined;
  ids.set(uuid, last.id);
  return { messages: turn.messages, leftOut };
}

function takeBlock(turn: ImportedTurn, block: Fields): void {
  const text = stringField(block, "text") ?? "";
  switch (block["type"]) {
    case "thinking":
      return turn.think(stringField(block, "thinking") ?? text);
    case "tool_use":
      return turn.call(
        stringField(block, "name") ?? "tool",
        importedArguments(block["input"]),
        stringField(block, "id"),
      );
    case "tool_result":
      return turn.result(readResult(block), stringField(block, "tool_use_id"));
    default:
      return turn.write(text);
  }
}

function readResult(block: Fields): string {
  const content = block["content"];
  if (typeof content === "string") return content;
  return listField(block, "content")
    .filter(isRecord)
    .flatMap((part) => stringField(part, "text") ?? [])
    .join("\n\n");
}

/** Texts that the export contains, and files that are in the same archive. Other files are only named. */
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
    const found = [stringField(item, "file_uuid"), stringField(item, "uuid"), title]
      .map((name) => attachedFile(name, title, file))
      .find((parts) => parts.length > 0);
    if (found === undefined) leftOut++;
    return found ?? [];
  });
  return { attachments, leftOut };
}
