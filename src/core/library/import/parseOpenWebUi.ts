import { parseTags } from "../../conversation/conversationTags.ts";
import type { ContentPart } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import { isRecord, numberField, parseJson, recordsIn, stringField } from "../../kernel/json.ts";
import type { JsonRecord } from "../../kernel/json.ts";
import {
  chainMessages,
  dataUrlImage,
  gatherParts,
  importRecords,
  importedConversation,
  importedMessage,
  ImportedTurn,
  listField,
  parentsFirst,
  readDate,
  textsIn,
} from "./imported.ts";
import type { ImportFile, Imported, ImportedMessages } from "./imported.ts";

/** The part of an Open WebUI record that contains the messages; undefined for other records. */
export function openWebUiChat(record: JsonRecord): JsonRecord | undefined {
  const chat = isRecord(record["chat"]) ? record["chat"] : record;
  const history = chat["history"];
  if (isRecord(history) && isRecord(history["messages"])) return chat;
  return chat !== record && Array.isArray(chat["messages"]) ? chat : undefined;
}

/** Parses a chat of an Open WebUI export: a tree of messages with all their versions. */
export function parseOpenWebUi(record: JsonRecord, chat: JsonRecord, file: ImportFile): Imported {
  const history = isRecord(chat["history"]) ? chat["history"] : {};
  const nodes = isRecord(history["messages"]) ? Object.entries(history["messages"]) : [];
  const isTree = nodes.length > 0;
  const list = isTree ? nodes.map(([, node]) => node) : listField(chat, "messages");
  const createdAt = readDate(record, "created_at") ?? readDate(chat, "timestamp") ?? file.modifiedAt;
  /** The last message that each record became. */
  const ends = new Map<string, string>();
  const { messages, leftOut } = importRecords(list, (value, index) => {
    const id = stringField(value, "id") ?? nodes[index]?.[0] ?? String(index);
    const parsed = parseMessage(value, id, createdAt);
    const last = parsed?.messages.at(-1);
    if (last !== undefined) ends.set(id, last.id);
    return parsed;
  });
  const { system } = isRecord(chat["params"]) ? chat["params"] : {};
  const prompt = typeof system === "string" && system !== "" ? system : stringField(chat, "system");
  const { tags: named } = isRecord(record["meta"]) ? record["meta"] : chat;
  const tags = parseTags(named);
  const linked = messages.map((message) => (ends.has(message.id) ? followed(message, ends) : message));
  const ordered = linked.toSorted((left, right) => left.createdAt - right.createdAt);
  return importedConversation(
    {
      id: `open-webui-${stringField(record, "id") ?? stringField(chat, "id") ?? messages[0]?.id ?? ""}`,
      title: stringField(record, "title") ?? stringField(chat, "title"),
      createdAt,
      updatedAt: readDate(record, "updated_at") ?? ordered.at(-1)?.createdAt,
      leafId: ends.get(stringField(history, "currentId") ?? ""),
      ...(record["pinned"] === true ? { isPinned: true } : {}),
      ...(tags.length === 0 ? {} : { tags }),
      ...(prompt === undefined || prompt === "" ? {} : { settings: { systemPrompt: prompt } }),
    },
    { messages: isTree ? parentsFirst(ordered) : chainMessages(linked), leftOut },
  );
}

/** The first message of a record, after the last one of the record that it follows. */
function followed({ parentId = "", ...message }: Message, ends: ReadonlyMap<string, string>): Message {
  return parentId === "" ? message : { ...message, parentId: ends.get(parentId) ?? parentId };
}

/** A response with tool calls becomes several messages. The next message follows the last one. */
function parseMessage(record: JsonRecord, id: string, fallbackTime: number): ImportedMessages | undefined {
  const { role, content } = record;
  if (role !== "user" && role !== "assistant" && role !== "system") return undefined;
  const written = typeof content === "string" ? content : textsIn(content);
  const { attachments, leftOut } = gatherParts(listField(record, "files").map(readFile));
  const images = recordsIn(content).flatMap(({ image_url: image }) =>
    dataUrlImage(isRecord(image) ? image["url"] : undefined),
  );
  const model = stringField(record, "model");
  const failure = isRecord(record["error"]) ? stringField(record["error"], "content") : undefined;
  const head: ConstructorParameters<typeof ImportedTurn>[0] = {
    ...{ id, role, createdAt: readDate(record, "timestamp") ?? fallbackTime },
    parentId: stringField(record, "parentId") ?? "",
    ...(role === "assistant" && model !== undefined ? { model } : {}),
  };
  const turn = new ImportedTurn(head);
  const thought = stringField(record, "reasoning_content") ?? "";
  if (role !== "assistant") turn.write(written);
  else if (written === "") takeOutput(turn, recordsIn(record["output"]), thought);
  else takeContent(turn, written, thought);
  turn.end({
    attachments: [...attachments, ...images],
    ...(failure === undefined
      ? {}
      : { status: "failed" as const, error: { reason: "service" as const, message: failure } }),
    ...usageOf(record),
  });
  // Others may follow a message without content.
  return { messages: turn.messages.length === 0 ? [importedMessage(head)] : turn.messages, leftOut };
}

function usageOf({ usage }: JsonRecord): Partial<Message> {
  if (!isRecord(usage)) return {};
  const promptTokens = numberField(usage, "prompt_tokens");
  const completionTokens = numberField(usage, "completion_tokens");
  if (promptTokens === undefined || completionTokens === undefined) return {};
  return { usage: { promptTokens, completionTokens } };
}

/** An image as data, or the text that was extracted from a file. Everything else is only named. */
function readFile(item: unknown): readonly ContentPart[] {
  if (!isRecord(item)) return [];
  const images = dataUrlImage(item["url"]);
  if (images.length > 0) return images;
  const file = isRecord(item["file"]) ? item["file"] : item;
  const data = isRecord(file["data"]) ? file["data"] : {};
  const text = stringField(data, "content") ?? stringField(item, "content") ?? "";
  const title = stringField(item, "name") ?? stringField(file, "filename");
  return text === "" ? [] : [{ type: "text", text, ...(title === undefined ? {} : { title }) }];
}

/** Newer versions also store a response as a list of items like those of OpenAI's Responses API. */
function takeOutput(turn: ImportedTurn, items: readonly JsonRecord[], thought: string): void {
  if (!items.some(({ type }) => type === "reasoning")) turn.think(thought);
  for (const item of items) {
    const text = textsIn([...listField(item, "content"), ...listField(item, "output")]);
    switch (item["type"]) {
      case "reasoning":
        turn.think(text === "" ? textsIn(item["summary"]) : text);
        break;
      case "function_call":
        turn.call(
          stringField(item, "name") ?? "tool",
          stringField(item, "arguments") ?? "{}",
          stringField(item, "call_id") ?? stringField(item, "id"),
        );
        break;
      case "function_call_output":
        turn.result(stringField(item, "output") ?? text, stringField(item, "call_id"));
        break;
      default:
        turn.write(text);
    }
  }
}

const opening = /<details(?=\s)/g;
const closing = "</details>";

/** Open WebUI stores reasoning, tool calls and executed code as folded parts of the text. */
function takeContent(turn: ImportedTurn, content: string, thought: string): void {
  let from = 0;
  let hasThought = false;
  for (const match of content.matchAll(opening)) {
    if (match.index < from) continue;
    const { fields, end: tagEnd } = readAttributes(content, match.index + match[0].length);
    const type = fields.get("type") ?? "";
    if (!isFolded(type)) continue;
    // Searched only for these, or parts that are never closed would take quadratic time.
    const start = content.indexOf(">", tagEnd) + 1;
    if (start === 0) break;
    const end = content.indexOf(closing, start);
    // No part after it is closed, either.
    if (end === -1) break;
    turn.write(content.slice(from, match.index).trim());
    const inner = content.slice(start, end);
    const summaryEnd = inner.indexOf("</summary>");
    const body = (summaryEnd === -1 ? inner : inner.slice(summaryEnd + "</summary>".length)).trim();
    if (type === "reasoning") turn.think(unquoted(body));
    else if (type === "tool_calls") takeCall(turn, fields, body);
    else turn.write([body, outputOf(fields)].filter((text) => text !== "").join("\n\n"));
    hasThought ||= type === "reasoning";
    from = end + closing.length;
  }
  turn.write(content.slice(from).trim());
  if (!hasThought) turn.think(thought);
}

function isFolded(type: string): boolean {
  return type === "reasoning" || type === "tool_calls" || type === "code_interpreter";
}

/** The attributes from this place on, and where they end. */
function readAttributes(
  text: string,
  from: number,
): { readonly fields: ReadonlyMap<string, string>; readonly end: number } {
  const fields = new Map<string, string>();
  const attribute = /\s+([\w-]{1,40})="([^"]*)"/y;
  let at = from;
  for (;;) {
    attribute.lastIndex = at;
    const match = attribute.exec(text);
    if (match === null) return { fields, end: at };
    fields.set(match[1] ?? "", unescaped(match[2] ?? ""));
    at = attribute.lastIndex;
  }
}

function takeCall(turn: ImportedTurn, fields: ReadonlyMap<string, string>, body: string): void {
  const [id, result] = [fields.get("id"), fields.get("result")];
  turn.call(fields.get("name") ?? "tool", withoutQuotes(fields.get("arguments") ?? "{}"), id);
  const told = result === undefined ? unescaped(body) : withoutQuotes(result);
  if (fields.get("done") !== "false") turn.result(told, id);
}

function outputOf(fields: ReadonlyMap<string, string>): string {
  const output = withoutQuotes(fields.get("output") ?? "");
  return output === "" ? "" : `\`\`\`\`json\n${output}\n\`\`\`\``;
}

/** Arguments and results are JSON inside a JSON string. */
function withoutQuotes(text: string): string {
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  return typeof value === "string" ? value : text;
}

function unquoted(body: string): string {
  const text = /^&gt;/m.test(body) ? unescaped(body) : body;
  return text.replace(/^> ?/gm, "").trim();
}

const entities: Readonly<Record<string, string>> = {
  ...{ "&quot;": '"', "&#x27;": "'", "&#39;": "'", "&lt;": "<", "&gt;": ">", "&amp;": "&" },
};

function unescaped(text: string): string {
  return text.replace(/&(?:quot|#x27|#39|lt|gt|amp);/g, (entity) => entities[entity] ?? entity);
}
