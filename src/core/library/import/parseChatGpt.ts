import type { ContentPart } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import { isRecord, recordsIn, stringField, stringsIn } from "../../kernel/json.ts";
import type { JsonRecord } from "../../kernel/json.ts";
import {
  attachedFile,
  fencedCode,
  gatherParts,
  importedConversation,
  importedMessage,
  listField,
  mediaOf,
  readTime,
} from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";

/** The content of one node of ChatGPT's tree. */
interface ChatGptMessage {
  /** Undefined if it isn't meant for the reader: hidden, or text from the system or a tool. */
  readonly role: "user" | "assistant" | undefined;
  readonly text: string;
  readonly reasoning: string;
  /** Images, audio and texts in the same archive. */
  readonly attachments: readonly ContentPart[];
  readonly createdAt?: number;
  readonly model?: string;
  /** Number of files that the export only names, or that aren't images, audio or text. */
  readonly leftOut: number;
}

const nothing: ChatGptMessage = { role: undefined, text: "", reasoning: "", attachments: [], leftOut: 0 };

function readChatGptMessage(message: unknown, file: ImportFile): ChatGptMessage {
  if (!isRecord(message) || !isRecord(message["content"])) return nothing;
  const { author, content, metadata } = message;
  const role = isRecord(author) ? author["role"] : undefined;
  const isHidden = isRecord(metadata) && metadata["is_visually_hidden_from_conversation"] === true;
  if (isHidden) return nothing;
  const createdAt = readTime(message, "create_time", "s");
  const time = createdAt === undefined ? {} : { createdAt };
  const details = isRecord(metadata) ? metadata : {};
  if (role === "tool") return { ...readToolOutput(content, details, file), ...time };
  if (role !== "user" && role !== "assistant") return nothing;
  const model = stringField(details, "model_slug");
  const read = readContent(content, file);
  const uploads = readUploads(details, content, file);
  return {
    role,
    text: withoutMarks(read.text, details),
    reasoning: read.reasoning,
    attachments: [...read.attachments, ...uploads.attachments],
    leftOut: read.leftOut + uploads.leftOut,
    ...time,
    ...(model === undefined ? {} : { model }),
  };
}

/** The images that a tool created, and the output of executed code, are part of the response. */
function readToolOutput(content: JsonRecord, metadata: JsonRecord, file: ImportFile): ChatGptMessage {
  const read = readParts(listField(content, "parts"), file);
  const result = isRecord(metadata["aggregate_result"]) ? metadata["aggregate_result"] : {};
  const drawn = recordsIn(result["messages"]).flatMap((item) => stringField(item, "image_url") ?? []);
  const images = gatherParts(drawn.map((pointer) => assetOf(pointer, file)));
  const printed = content["content_type"] === "execution_output" ? (stringField(content, "text") ?? "") : "";
  const leftOut = read.leftOut + images.leftOut;
  const attachments = [...read.attachments, ...images.attachments];
  if (printed.trim() === "" && attachments.length === 0) return { ...nothing, leftOut };
  const text = fencedCode(printed.trimEnd(), "text");
  return { role: "assistant", text, reasoning: "", attachments, leftOut };
}

/** Uploaded files that the message doesn't show among its parts, if they are in the archive; others are only named. */
function readUploads(
  metadata: JsonRecord,
  content: JsonRecord,
  file: ImportFile,
): ReturnType<typeof gatherParts> {
  const shown = new Set(recordsIn(content["parts"]).flatMap((part) => pointerOf(part).map(assetName)));
  return gatherParts(
    recordsIn(metadata["attachments"])
      .filter((item) => !shown.has(stringField(item, "id") ?? ""))
      .map((item) => attachedFile(stringField(item, "id"), stringField(item, "name"), file)),
  );
}

/** Voice messages contain the pointer to their audio one level deeper. */
function pointerOf(part: JsonRecord): readonly string[] {
  const inner = isRecord(part["audio_asset_pointer"]) ? part["audio_asset_pointer"] : part;
  const pointer = stringField(inner, "asset_pointer");
  return pointer === undefined ? [] : [pointer];
}

function assetName(pointer: string): string {
  return pointer.replace(/^[a-z-]+:\/\//, "");
}

function assetOf(pointer: string, file: ImportFile): ReturnType<typeof mediaOf> {
  return pointer === "" ? [] : mediaOf(file.asset?.(assetName(pointer)));
}

/** Replaces the marks of ChatGPT's references, which are private characters, with links to their targets. */
function withoutMarks(text: string, metadata: JsonRecord): string {
  if (!/[\ue200-\ue206]/.test(text)) return text;
  const links = new Map<string, string>();
  for (const reference of recordsIn(metadata["content_references"])) {
    const mark = stringField(reference, "matched_text") ?? "";
    const items = [reference, ...recordsIn(reference["items"])];
    const found = items.flatMap((item) => {
      const url = (stringField(item, "url") ?? "").replaceAll("(", "%28").replaceAll(")", "%29");
      const title = stringField(item, "attribution") ?? stringField(item, "title") ?? url;
      return /^https?:\/\/[^\s<>()]+$/.test(url) ? [`[${title.replace(/[\[\]\\\n]/g, " ")}](${url})`] : [];
    });
    if (mark !== "" && found.length > 0) links.set(mark, `(${[...new Set(found)].join(", ")})`);
  }
  return text
    .replace(/\ue200[^\ue200\ue201]*\ue201/g, (mark) => links.get(mark) ?? "")
    .replace(/[\ue200-\ue206]/g, "");
}

function readContent(
  content: JsonRecord,
  file: ImportFile,
): Pick<ChatGptMessage, "text" | "reasoning" | "attachments" | "leftOut"> {
  const none = { text: "", reasoning: "", attachments: [], leftOut: 0 };
  switch (content["content_type"]) {
    case "text":
    case "multimodal_text":
      return { ...none, ...readParts(listField(content, "parts"), file) };
    case "code":
      return {
        ...none,
        text: fencedCode(
          stringField(content, "text") ?? "",
          stringField(content, "language")?.replace(/^unknown$/, ""),
        ),
      };
    case "thoughts":
      return { ...none, reasoning: readThoughts(content["thoughts"]) };
    default:
      // Contexts, browsing and recaps aren't messages of the conversation.
      return none;
  }
}

function readParts(
  parts: readonly unknown[],
  file: ImportFile,
): Pick<ChatGptMessage, "text" | "attachments" | "leftOut"> {
  const texts: string[] = [];
  const found: (readonly ContentPart[])[] = [];
  for (const part of parts) {
    const text = typeof part === "string" ? part : isRecord(part) ? stringField(part, "text") : undefined;
    if (text !== undefined) texts.push(text);
    else found.push(isRecord(part) ? pointerOf(part).flatMap((pointer) => assetOf(pointer, file)) : []);
  }
  return { text: texts.filter((part) => part.trim() !== "").join("\n\n"), ...gatherParts(found) };
}

function readThoughts(thoughts: unknown): string {
  return recordsIn(thoughts)
    .flatMap((thought) => [stringField(thought, "summary"), stringField(thought, "content")])
    .filter((text) => text !== undefined && text !== "")
    .join("\n\n");
}

/** Parses a conversation of a ChatGPT export: a tree of messages with all their versions. */
export function parseChatGpt(record: JsonRecord, mapping: JsonRecord, file: ImportFile): Imported {
  const createdAt = readTime(record, "create_time", "s") ?? 0;
  const model = stringField(record, "default_model_slug");
  const walk = new TreeWalk(mapping, { createdAt, model: model === "auto" ? undefined : model }, file);
  const id = stringField(record, "conversation_id") ?? stringField(record, "id");
  if (id === undefined || walk.messages.length === 0) return { conversations: [], leftOut: 1 };
  const isPinned = record["is_starred"] === true || typeof record["pinned_time"] === "number";
  return importedConversation(
    {
      id: `chatgpt-${id}`,
      title: stringField(record, "title"),
      createdAt,
      updatedAt: readTime(record, "update_time", "s"),
      leafId: walk.keptFor(stringField(record, "current_node") ?? ""),
      ...(isPinned ? { isPinned } : {}),
    },
    walk,
  );
}

/** A node on the path from the root, along with what is left over from the nodes above it. */
interface PathNode {
  readonly nodeId: string;
  readonly parentId: string | undefined;
  readonly reasoning: string;
}

/** What the conversation says about messages that don't say it themselves. */
interface MessageFallback {
  readonly createdAt: number;
  readonly model: string | undefined;
}

/** Walks down from the roots. Nodes without visible content are skipped; their children follow their parent. */
class TreeWalk {
  readonly #mapping: JsonRecord;
  readonly #fallback: MessageFallback;
  readonly #file: ImportFile;
  readonly #messages: Message[] = [];
  /** The message that each node ends at, by the ID of the node. */
  readonly #kept = new Map<string, string | undefined>();
  leftOut = 0;

  constructor(mapping: JsonRecord, fallback: MessageFallback, file: ImportFile) {
    this.#file = file;
    this.#mapping = mapping;
    this.#fallback = fallback;
    const steps: PathNode[] = this.#roots().map((nodeId) => ({ nodeId, parentId: undefined, reasoning: "" }));
    this.#walk(steps);
    // Unreachable messages are included as well, so that a broken tree doesn't lose messages.
    for (const nodeId of Object.keys(mapping)) {
      if (!this.#kept.has(nodeId)) this.#walk([{ nodeId, parentId: this.#parentOf(nodeId), reasoning: "" }]);
    }
  }

  get messages(): readonly Message[] {
    return this.#messages;
  }

  keptFor(nodeId: string): string | undefined {
    return this.#kept.get(nodeId);
  }

  /** Nodes whose parent doesn't exist, in reverse order because they are taken from the end. */
  #roots(): readonly string[] {
    const ids = Object.keys(this.#mapping).filter((id) => {
      const node = this.#mapping[id];
      const parent = isRecord(node) ? stringField(node, "parent") : undefined;
      return parent === undefined || !Object.hasOwn(this.#mapping, parent);
    });
    return ids.toReversed();
  }

  #walk(steps: PathNode[]): void {
    for (let step = steps.pop(); step !== undefined; step = steps.pop()) {
      for (const next of this.#visit(step)) steps.push(next);
    }
  }

  /** The closest message, among those kept so far, that the node follows. */
  #parentOf(nodeId: string): string | undefined {
    const node = this.#mapping[nodeId];
    return this.#kept.get((isRecord(node) ? stringField(node, "parent") : undefined) ?? "");
  }

  #visit({ nodeId, parentId, reasoning }: PathNode): readonly PathNode[] {
    const node = Object.hasOwn(this.#mapping, nodeId) ? this.#mapping[nodeId] : undefined;
    if (!isRecord(node) || this.#kept.has(nodeId)) return [];
    const read = readChatGptMessage(node["message"], this.#file);
    this.leftOut += read.leftOut;
    const thought = [reasoning, read.reasoning].filter((text) => text !== "").join("\n\n");
    const isKept = read.role !== undefined && (read.text !== "" || read.attachments.length > 0);
    if (isKept)
      this.#keep(nodeId, parentId, { ...read, reasoning: read.role === "assistant" ? thought : "" });
    const kept = isKept ? nodeId : parentId;
    this.#kept.set(nodeId, kept);
    return stringsIn(node["children"])
      .toReversed()
      .map((child) => ({ nodeId: child, parentId: kept, reasoning: isKept ? "" : thought }));
  }

  #keep(id: string, parentId: string | undefined, read: ReturnType<typeof readChatGptMessage>): void {
    const { role = "user", text, reasoning, attachments, createdAt, model = this.#fallback.model } = read;
    this.#messages.push(
      importedMessage({
        ...{ id, role, text, reasoning, attachments },
        createdAt: createdAt ?? this.#messages.at(-1)?.createdAt ?? this.#fallback.createdAt,
        ...(parentId === undefined ? {} : { parentId }),
        ...(role === "assistant" && model !== undefined ? { model } : {}),
      }),
    );
  }
}
