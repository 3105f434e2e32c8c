import { parseTags } from "../../conversation/conversationTags.ts";
import type { ContentPart } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { isRecord, numberField, stringField } from "../../kernel/json.ts";
import {
  chainMessages,
  dataUrlImage,
  importedMessage,
  importedTitle,
  listField,
  nothingImported,
  parentsFirst,
  readDate,
} from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The part of an Open WebUI record that contains the messages; undefined for other records. */
export function openWebUiChat(record: Fields): Fields | undefined {
  const chat = isRecord(record["chat"]) ? record["chat"] : record;
  const history = chat["history"];
  if (isRecord(history) && isRecord(history["messages"])) return chat;
  return chat !== record && Array.isArray(chat["messages"]) ? chat : undefined;
}

/** Parses a chat of an Open WebUI export: a tree of messages with all their versions. */
export function parseOpenWebUi(record: Fields, chat: Fields, file: ImportFile): Imported {
  const history = isRecord(chat["history"]) ? chat["history"] : {};
  const nodes = isRecord(history["messages"]) ? Object.entries(history["messages"]) : [];
  const isTree = nodes.length > 0;
  const list = isTree
    ? nodes
    : listField(chat, "messages").map((value, index) => [String(index), value] as const);
  const createdAt = readDate(record, "created_at") ?? readDate(chat, "timestamp") ?? file.modifiedAt;
  let leftOut = 0;
  const messages = list.flatMap(([key, value]): readonly Message[] => {
    const parsed = isRecord(value) ? parseMessage(value, key, createdAt) : undefined;
    leftOut += parsed?.leftOut ?? 1;
    return parsed === undefined ? [] : [parsed.message];
  });
  if (messages.length === 0) return { ...nothingImported, leftOut };
  const current = stringField(history, "currentId");
  const { system } = isRecord(chat["params"]) ? chat["params"] : {};
  const prompt = typeof system === "string" && system !== "" ? system : stringField(chat, "system");
  const { tags: named } = isRecord(record["meta"]) ? record["meta"] : chat;
  const tags = parseTags(named);
  const ordered = messages.toSorted((left, right) => left.createdAt - right.createdAt);
  const conversation: Conversation = {
    id: `open-webui-${stringField(record, "id") ?? stringField(chat, "id") ?? messages[0]?.id ?? ""}`,
    title: importedTitle(stringField(record, "title") ?? stringField(chat, "title"), messages),
    createdAt,
    updatedAt: readDate(record, "updated_at") ?? ordered.at(-1)?.createdAt ?? createdAt,
    messages: isTree ? parentsFirst(ordered) : chainMessages(messages),
    ...(record["pinned"] === true ? { isPinned: true } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(prompt === undefined || prompt === "" ? {} : { settings: { systemPrompt: prompt } }),
    ...(current !== undefined && messages.some(({ id }) => id === current) ? { leafId: current } : {}),
  };
  return { conversations: [conversation], leftOut };
}

function parseMessage(
  record: Fields,
  key: string,
  fallbackTime: number,
): { readonly message: Message; readonly leftOut: number } | undefined {
  const { role, content } = record;
  if (role !== "user" && role !== "assistant" && role !== "system") return undefined;
  const parts = listField(record, "content").filter(isRecord);
  const written =
    typeof content === "string"
      ? content
      : parts.flatMap((part) => stringField(part, "text") ?? []).join("\n\n");
  const { text, reasoning } =
    role === "assistant" ? splitReasoning(written) : { text: written, reasoning: "" };
  const { attachments, leftOut } = readFiles(listField(record, "files"));
  const images = parts.flatMap(({ image_url: image }) =>
    dataUrlImage(isRecord(image) ? image["url"] : undefined),
  );
  const parentId = stringField(record, "parentId");
  const model = stringField(record, "model");
  const failure = isRecord(record["error"]) ? stringField(record["error"], "content") : undefined;
  const message = importedMessage({
    ...{ id: stringField(record, "id") ?? key, role, text },
    createdAt: readDate(record, "timestamp") ?? fallbackTime,
    reasoning: reasoning === "" ? (stringField(record, "reasoning_content") ?? "") : reasoning,
    attachments: [...attachments, ...images],
    ...(parentId === undefined ? {} : { parentId }),
    ...(role === "assistant" && model !== undefined ? { model } : {}),
    ...(failure === undefined
      ? {}
      : { status: "failed" as const, error: { reason: "service" as const, message: failure } }),
    ...usageOf(record),
  });
  return { message, leftOut };
}

function usageOf({ usage }: Fields): Partial<Message> {
  if (!isRecord(usage)) return {};
  const [promptTokens, completionTokens] = [
    numberField(usage, "prompt_tokens"),
    numberField(usage, "completion_tokens"),
  ];
  if (promptTokens === undefined || completionTokens === undefined) return {};
  return { usage: { promptTokens, completionTokens } };
}

/** Images as data, and texts that were extracted from files. Everything else is only named. */
function readFiles(files: readonly unknown[]): {
  readonly attachments: readonly ContentPart[];
  readonly leftOut: number;
} {
  const attachments = files.map((item): readonly ContentPart[] => {
    if (!isRecord(item)) return [];
    const images = dataUrlImage(item["url"]);
    if (images.length > 0) return images;
    const file = isRecord(item["file"]) ? item["file"] : item;
    const data = isRecord(file["data"]) ? file["data"] : {};
    const text = stringField(data, "content") ?? stringField(item, "content") ?? "";
    const title = stringField(item, "name") ?? stringField(file, "filename");
    return text === "" ? [] : [{ type: "text", text, ...(title === undefined ? {} : { title }) }];
  });
  return {
    attachments: attachments.flat(),
    leftOut: attachments.filter((parts) => parts.length === 0).length,
  };
}

const opening = /<details[^>]{0,300}type="reasoning"[^>]{0,300}>/;
const closing = "</details>";

/** Open WebUI stores reasoning as quoted, folded parts of the text. */
function splitReasoning(content: string): { readonly text: string; readonly reasoning: string } {
  const texts: string[] = [];
  const thoughts: string[] = [];
  let rest = content;
  for (let match = opening.exec(rest); match !== null; match = opening.exec(rest)) {
    const end = rest.indexOf(closing, match.index);
    if (end === -1) break;
    texts.push(rest.slice(0, match.index));
    const inner = rest.slice(match.index + match[0].length, end);
    const summaryEnd = inner.indexOf("</summary>");
    const body = summaryEnd === -1 ? inner : inner.slice(summaryEnd + "</summary>".length);
    thoughts.push(body.replace(/^(?:>|&gt;) ?/gm, "").trim());
    rest = rest.slice(end + closing.length);
  }
  return { text: [...texts, rest].join("").trim(), reasoning: thoughts.join("\n\n") };
}
