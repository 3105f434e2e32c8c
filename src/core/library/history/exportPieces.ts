import { t } from "@vscode/l10n";
import type { ContentPart } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { sourcesMarkdown } from "../../conversation/sources.ts";
import { MessageTree } from "../../conversation/messageTree.ts";
import { closedMarkdown, startOf } from "../../kernel/foreignText.ts";
import { isRecord } from "../../kernel/json.ts";
import { fencedCode } from "../import/imported.ts";

/** Identifies the format of the file; the importer checks it. */
export const exportFormat = "inference-gateway-conversations";
const exportVersion = 1;

/** The file formats of an export of one conversation, by the ending of the file name. */
export type ExportFormat = "md" | "json";

type ExportContent = ExportFormat | "text" | "archive";

/** The result is written in place of a text, such as without the secrets in it. */
export type TextMask = (text: string) => string;

interface ExportedParts {
  readonly head: Omit<Conversation, "messages">;
  readonly messages: Iterable<Message>;
}

/**
 * What an export contains: for people to read, the conversation as it is shown, otherwise everything, which an import
 * restores unchanged: all versions, settings and attachments. Only an `archive`, which is the user's own, includes the
 * workspace, because its path may name the user. Other work may run between two messages.
 */
function exportedParts(conversation: Conversation, content: ExportContent, mask?: TextMask): ExportedParts {
  const { messages, workspace, ...fields } = conversation;
  const isWhole = content === "json" || content === "archive";
  const head = content === "archive" && workspace !== undefined ? { ...fields, workspace } : fields;
  const exported = isWhole ? messages : new MessageTree(messages, conversation.leafId).path;
  if (mask === undefined) return { head, messages: exported };
  return { head: mapTexts(head, mask), messages: maskEach(exported, mask) };
}

/** One at a time, because a conversation may be long. */
function* maskEach(messages: readonly Message[], mask: TextMask): Generator<Message> {
  for (const message of messages) yield mapTexts(message, mask);
}

/** The texts of an export that are searched for secrets, without images and audio: those of one message at a time. */
export function* searchedTexts(conversation: Conversation, content: ExportContent): Generator<string> {
  const { head, messages } = exportedParts(conversation, content);
  yield textOf(head);
  for (const message of messages) yield textOf(message);
}

/** Images and audio, which contain no text to search. */
const media = /(data:[\w.+-]{1,60}\/[\w.+-]{1,60};base64,)[A-Za-z0-9+/=]+/g;

function textOf(part: unknown): string {
  const texts: string[] = [];
  mapTexts(part, (text) => {
    texts.push(text.replace(media, "$1"));
    return text;
  });
  return texts.join("\n\n");
}

/** The JSON value with each of its texts replaced by the result of `change`, except for images and audio. */
function mapTexts<Value>(value: Value, change: TextMask): Value;
function mapTexts(value: unknown, change: TextMask): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  const isMedia = value["type"] === "image" || value["type"] === "audio";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isMedia && name === "data" ? field : mapTexts(field, change),
    ]),
  );
}

/** The text of an export, one message at a time. `text` is Markdown that only names images and audio. */
export function* exportPieces(
  conversation: Conversation,
  content: ExportContent,
  now: number,
  mask?: TextMask,
): Generator<string> {
  const parts = exportedParts(conversation, content, mask);
  if (content === "json" || content === "archive") return yield* jsonPieces(parts, now);
  yield markdownOfHead(parts.head);
  for (const message of parts.messages)
    yield `\n${markdownOfMessage(message, content === "md" ? "inline" : "named")}`;
}

function* jsonPieces({ head, messages }: ExportedParts, now: number): Generator<string> {
  const exportedAt = new Date(now).toISOString();
  const open = indented(head, 4);
  yield `{\n  "format": "${exportFormat}",\n  "version": ${exportVersion},\n  "exportedAt": "${exportedAt}",\n  "conversations": [\n    `;
  yield `${open.slice(0, open.lastIndexOf("\n"))},\n      "messages": [`;
  let isEmpty = true;
  for (const message of messages) {
    yield `${isEmpty ? "" : ","}\n        ${indented(message, 8)}`;
    isEmpty = false;
  }
  yield `${isEmpty ? "" : "\n      "}]\n    }\n  ]\n}\n`;
}

/** JSON text, indented by this many characters. */
function indented(value: unknown, indent: number): string {
  return JSON.stringify(value, undefined, 2).replaceAll("\n", `\n${" ".repeat(indent)}`);
}

/** In UTF-16 units, without the extension. */
const longest = 80;

/** A file name for a conversation's title that every file system accepts. */
export function exportFileName(title: string, extension: ExportFormat): string {
  const words = title.replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu, " ").replace(/\s+/gu, " ");
  const name = startOf(words, longest).replace(/^[. ]+|(?<![. ])[. ]+$/gu, "");
  return `${name === "" || isReserved(name) ? `conversation ${name}`.trim() : name}.${extension}`;
}

/** Device names on Windows. */
function isReserved(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/iu.test(name.split(".")[0] ?? "");
}

/** The text before the messages of an export for people to read. Other versions are only in the JSON export. */
function markdownOfHead({ title, createdAt, settings }: Omit<Conversation, "messages">): string {
  const system = settings?.systemPrompt;
  const parts = [
    `# ${oneLine(title)}`,
    t("Started on {0}.", formatTime(createdAt)),
    ...(system === undefined || system === "" ? [] : [`## ${t("System Prompt")}`, closedMarkdown(system)]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * A message with its role, model and time, and its original texts. Images and audio are included as data links, so that
 * the file is self-contained, or only named.
 */
function markdownOfMessage(message: Message, media: "inline" | "named"): string {
  const { role, reasoning, text, sources, toolCalls, attachments, error } = message;
  const shown = role === "tool" ? fencedCode(text) : closedMarkdown(text);
  const parts = [
    `## ${headingOf(message)}`,
    ...attachments.map((part) => (media === "named" ? nameAttachment(part) : exportAttachment(part))),
    ...(reasoning === "" ? [] : [quoteFolded(t("Reasoning"), reasoning)]),
    ...(text === "" ? [] : [`${shown}${sourcesMarkdown(sources)}`]),
    ...toolCalls.map(
      (call) => `${t("Tool call: {0}", oneLine(call.name))}\n\n${fencedCode(call.arguments, "json")}`,
    ),
    ...(message.status === "stopped" ? [`*${t("Stopped.")}*`] : []),
    ...(error === undefined ? [] : [`*${oneLine(error.message)}*`]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Who wrote the message, with which model, and when. */
function headingOf({ role, model, createdAt }: Message): string {
  const who =
    role === "assistant" && model !== undefined ? `${roleName(role)} (${oneLine(model)})` : roleName(role);
  return `${who} · ${formatTime(createdAt)}`;
}

function roleName(role: Message["role"]): string {
  switch (role) {
    case "user":
      return t("You");
    case "assistant":
      return t("Assistant");
    case "tool":
      return t("Tool");
    case "system":
      return t("System");
  }
}

function nameAttachment(part: ContentPart): string {
  if (part.type === "text") return exportAttachment(part);
  const kind = part.type === "image" ? t("Image") : t("Audio");
  return `*${part.title === undefined ? kind : oneLine(part.title)}*`;
}

function exportAttachment(part: ContentPart): string {
  switch (part.type) {
    case "image":
      return `![${t("Image")}](data:${part.mediaType};base64,${part.data})`;
    case "audio":
      return `[${t("Audio")}](data:audio/${part.format === "mp3" ? "mpeg" : "wav"};base64,${part.data})`;
    case "text":
      return [
        ...(part.title === undefined ? [] : [`**${oneLine(part.title)}**`]),
        fencedCode(part.text, ""),
      ].join("\n\n");
  }
}

function quoteFolded(summary: string, text: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${fencedCode(text, "text")}\n\n</details>`;
}

function oneLine(text: string): string {
  return text.replace(/\s+/gu, " ").trim();
}

/** In the local time zone, such as `2026-11-21 09:40`: the same for every reader, and sortable. */
export function formatTime(time: number): string {
  const date = new Date(time);
  const two = (value: number): string => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}
