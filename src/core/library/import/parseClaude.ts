import type { ContentPart } from "../../conversation/completion.ts";
import { recordsIn, stringField } from "../../kernel/json.ts";
import type { JsonRecord } from "../../kernel/json.ts";
import {
  importedArguments,
  chainMessages,
  gatherParts,
  importRecords,
  importedConversation,
  ImportedTurn,
  listField,
  attachedFile,
  parentsFirst,
  readDate,
  textsIn,
} from "./imported.ts";
import type { ImportFile, Imported, ImportedMessages } from "./imported.ts";

/** Parses a conversation of a claude.ai export. Newer exports contain all versions of a message. */
export function parseClaude(record: JsonRecord, file: ImportFile): Imported {
  const id = stringField(record, "uuid");
  if (id === undefined || id === "") return { conversations: [], leftOut: 1 };
  const createdAt = readDate(record, "created_at") ?? file.modifiedAt;
  const ids = new Map<string, string>();
  const { messages, leftOut } = importRecords(listField(record, "chat_messages"), (message, index) =>
    parseMessage(message, { id: `${id}-${index}`, createdAt, file, ids }),
  );
  const isTree = messages.some(({ parentId }) => parentId !== undefined);
  return importedConversation(
    {
      id: `claude-${id}`,
      title: stringField(record, "name"),
      createdAt,
      updatedAt: readDate(record, "updated_at"),
      leafId: ids.get(stringField(record, "current_leaf_message_uuid") ?? ""),
    },
    { messages: isTree ? parentsFirst(messages) : chainMessages(messages), leftOut },
  );
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
  record: JsonRecord,
  { id: fallbackId, createdAt: fallbackTime, file, ids }: Place,
): ImportedMessages | undefined {
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
  for (const block of recordsIn(record["content"])) takeBlock(turn, block);
  if (!turn.hasText) turn.write(stringField(record, "text") ?? "");
  turn.end({ attachments });
  const last = turn.messages.at(-1);
  if (last === undefined) return leftOut > 0 ? { messages: [], leftOut } : undefined;
  ids.set(uuid, last.id);
  return { messages: turn.messages, leftOut };
}

function takeBlock(turn: ImportedTurn, block: JsonRecord): void {
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
      return turn.result(
        stringField(block, "content") ?? textsIn(block["content"]),
        stringField(block, "tool_use_id"),
      );
    default:
      return turn.write(text);
  }
}

/** Texts that the export contains, and files that are in the same archive. Other files are only named. */
function readAttachments(record: JsonRecord, file: ImportFile): ReturnType<typeof gatherParts> {
  const texts = recordsIn(record["attachments"]);
  const files = [...recordsIn(record["files"]), ...recordsIn(record["files_v2"])];
  const names = new Set<string>();
  const found = [...texts, ...files].flatMap((item): readonly (readonly ContentPart[])[] => {
    const title = stringField(item, "file_name") ?? "";
    const text = stringField(item, "extracted_content") ?? "";
    if (text !== "") return [[{ type: "text", text, ...(title === "" ? {} : { title }) }]];
    if (title !== "" && names.has(title)) return [];
    names.add(title);
    const parts = [stringField(item, "file_uuid"), stringField(item, "uuid"), title].map((name) =>
      attachedFile(name, title, file),
    );
    return [parts.find(({ length }) => length > 0) ?? []];
  });
  return gatherParts(found);
}
