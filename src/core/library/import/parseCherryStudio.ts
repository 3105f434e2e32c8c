import type { ContentPart } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { isRecord, parseJson, stringField } from "../../kernel/json.ts";
import {
  attachedFile,
  dataUrlImage,
  fencedCode,
  importedMessage,
  importedTitle,
  joinImported,
  listField,
  readDate,
} from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Whether the record is the `data.json` of a Cherry Studio backup. */
export function isCherryStudio(record: Fields): boolean {
  return isRecord(record["indexedDB"]) && Array.isArray(record["indexedDB"]["topics"]);
}

/** Parses a backup of Cherry Studio. Responses of several models to the same message become its versions. */
export function parseCherryStudio(record: Fields, file: ImportFile): Imported {
  const tables = isRecord(record["indexedDB"]) ? record["indexedDB"] : {};
  const blocks = new Map<string, Fields>();
  for (const block of listField(tables, "message_blocks").filter(isRecord)) {
    const id = stringField(block, "id");
    if (id !== undefined) blocks.set(id, block);
  }
  const titles = readTitles(record["localStorage"]);
  return joinImported(
    listField(tables, "topics").map((topic): Imported => {
      if (!isRecord(topic)) return { conversations: [], leftOut: 1 };
      const id = stringField(topic, "id") ?? "";
      return parseTopic(topic, titles.get(id), { blocks, file });
    }),
  );
}

interface TopicHead {
  readonly name: string;
  readonly prompt: string;
  readonly isPinned: boolean;
}

/** The topics' names are in the settings of the assistants, which are JSON inside JSON. */
function readTitles(storage: unknown): ReadonlyMap<string, TopicHead> {
  const heads = new Map<string, TopicHead>();
  const text = isRecord(storage) ? storage["persist:cherry-studio"] : undefined;
  const state = typeof text === "string" ? parseJson(text) : text;
  const slice = isRecord(state) ? state["assistants"] : undefined;
  const parsed = typeof slice === "string" ? parseJson(slice) : slice;
  const assistants = isRecord(parsed)
    ? [parsed["defaultAssistant"], ...listField(parsed, "assistants")].filter(isRecord)
    : [];
  for (const assistant of assistants) {
    for (const topic of listField(assistant, "topics").filter(isRecord)) {
      const prompt = stringField(assistant, "prompt") ?? "";
      const head = { name: stringField(topic, "name") ?? "", prompt, isPinned: topic["pinned"] === true };
      heads.set(stringField(topic, "id") ?? "", head);
    }
  }
  return heads;
}

interface Source {
  readonly blocks: ReadonlyMap<string, Fields>;
  readonly file: ImportFile;
}

function parseTopic(topic: Fields, head: TopicHead | undefined, source: Source): Imported {
  let leftOut = 0;
  const messages: Message[] = [];
  /** The last message of the path so far, and the parent of the versions at its end. */
  let end: string | undefined;
  let asked: { readonly askId: string; readonly parentId: string | undefined } | undefined;
  for (const value of listField(topic, "messages")) {
    const parsed = isRecord(value) ? parseMessage(value, source) : undefined;
    leftOut += parsed?.leftOut ?? 1;
    if (!isRecord(value) || parsed === undefined) continue;
    const { message } = parsed;
    const askId = message.role === "assistant" ? stringField(value, "askId") : undefined;
    const isVersion: boolean = askId !== undefined && asked?.askId === askId;
    const parentId: string | undefined = isVersion ? asked?.parentId : end;
    messages.push(parentId === undefined ? message : { ...message, parentId });
    asked = askId === undefined ? undefined : { askId, parentId };
    if (!isVersion || value["foldSelected"] === true || value["useful"] === true) end = message.id;
  }
  const [first] = messages;
  if (first === undefined || end === undefined) return { conversations: [], leftOut };
  const times = messages.map(({ createdAt }) => createdAt);
  const conversation: Conversation = {
    id: `cherry-studio-${stringField(topic, "id") ?? first.id}`,
    title: importedTitle(head?.name ?? stringField(topic, "name"), messages),
    createdAt: readDate(topic, "createdAt") ?? first.createdAt,
    updatedAt: readDate(topic, "updatedAt") ?? times.reduce((left, right) => Math.max(left, right), 0),
    messages,
    leafId: end,
    ...(head?.isPinned === true ? { isPinned: true } : {}),
    ...(head === undefined || head.prompt === "" ? {} : { settings: { systemPrompt: head.prompt } }),
  };
  return { conversations: [conversation], leftOut };
}

function parseMessage(
  record: Fields,
  { blocks, file }: Source,
): { readonly message: Message; readonly leftOut: number } | undefined {
  const [id, role] = [stringField(record, "id"), record["role"]];
  if (id === undefined || (role !== "user" && role !== "assistant" && role !== "system")) return undefined;
  const texts: string[] = [];
  const reasoning: string[] = [];
  const attachments: ContentPart[] = [];
  let leftOut = 0;
  let failure: string | undefined;
  // Before version 1.3, a message contained its text itself.
  const own = { type: "main_text", content: record["content"] };
  const parts = listField(record, "blocks").map((key) =>
    typeof key === "string" ? blocks.get(key) : undefined,
  );
  // A backup that was cut off lists blocks that it doesn't contain.
  if (parts.length > 0 && parts.every((part) => part === undefined)) return undefined;
  const old = [...listField(record, "files"), ...listField(record, "images")];
  const all: readonly (Fields | undefined)[] =
    parts.length > 0 ? parts : [own, ...old.map((item) => ({ type: "file", file: item }))];
  for (const block of all) {
    if (block === undefined) {
      leftOut++;
      continue;
    }
    const content = stringField(block, "content") ?? "";
    switch (block["type"]) {
      case "thinking":
        reasoning.push(content);
        break;
      case "image":
      case "file": {
        const media = readFile(block, file);
        if (media.length === 0) leftOut++;
        attachments.push(...media);
        break;
      }
      case "code":
        texts.push(fencedCode(content, stringField(block, "language")));
        break;
      case "error":
        failure = (isRecord(block["error"]) ? stringField(block["error"], "message") : undefined) ?? content;
        break;
      case "tool":
        texts.push(toolText(block));
        break;
      case "main_text":
      case "translation":
      case "compact":
        texts.push(content);
        break;
      default:
      // Citations and placeholders contain no text of the message.
    }
  }
  const model = isRecord(record["model"])
    ? stringField(record["model"], "id")
    : stringField(record, "modelId");
  const message = importedMessage({
    ...{ id, role, text: texts.filter((text) => text !== "").join("\n\n"), attachments },
    createdAt: readDate(record, "createdAt") ?? file.modifiedAt,
    reasoning:
      reasoning.length > 0 ? reasoning.join("\n\n") : (stringField(record, "reasoning_content") ?? ""),
    ...(role === "assistant" && model !== undefined ? { model } : {}),
    ...(failure === undefined
      ? {}
      : { status: "failed" as const, error: { reason: "service" as const, message: failure } }),
    ...(record["status"] === "paused" ? { status: "stopped" as const } : {}),
  });
  return { message, leftOut };
}

function toolText(block: Fields): string {
  const { content } = block;
  const metadata = isRecord(block["metadata"]) ? block["metadata"] : {};
  const call = isRecord(metadata["rawMcpToolResponse"]) ? metadata["rawMcpToolResponse"] : {};
  const tool = isRecord(call["tool"]) ? call["tool"] : {};
  const name = stringField(block, "toolName") ?? stringField(tool, "name") ?? "tool";
  const args = block["arguments"] ?? call["arguments"];
  const pieces = [args, content ?? call["response"]].flatMap((value) =>
    value === undefined || value === null ? [] : [`\`\`\`\`json\n${readable(value)}\n\`\`\`\``],
  );
  return [`**${name}**`, ...pieces].join("\n\n");
}

function readable(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
}

function readFile(block: Fields, file: ImportFile): readonly ContentPart[] {
  const data = dataUrlImage(block["url"]);
  if (data.length > 0) return data;
  const info = isRecord(block["file"]) ? block["file"] : {};
  return attachedFile(stringField(info, "id"), stringField(info, "origin_name"), file);
}
