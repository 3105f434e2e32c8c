import { t } from "@vscode/l10n";
import type { ContentPart } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { MessageTree } from "../../conversation/messageTree.ts";
import { isRecord } from "../../kernel/json.ts";

/** Identifies the format of the file; the importer checks it. */
export const exportFormat = "inference-gateway-conversations";
const exportVersion = 1;

/**
 * A piece of an export: one message, or the text before or after the messages. Other work may run between two pieces.
 * The file is the text of all pieces.
 */
export interface ExportPiece {
  text(): string;
  /** The texts that are searched for secrets, without images and audio. */
  searched(): string;
  /** The piece with each of its texts replaced by the result of `mask`; a JSON file can still be imported. */
  masked(mask: (text: string) => string): string;
}

/**
 * Exports the conversation as it is shown, for people to read (`text` only names images and audio), or everything,
 * which an import restores unchanged: all versions, settings and attachments. Only an `archive`, which is the user's
 * own, includes the workspace, because its path may name the user.
 */
export function exportPieces(
  conversation: Conversation,
  format: "md" | "json" | "text" | "archive",
  now: number,
): Generator<ExportPiece> {
  const { messages, workspace, ...fields } = conversation;
  if (format === "json") return jsonPieces(fields, messages, now);
  if (format === "archive")
    return jsonPieces(workspace === undefined ? fields : { ...fields, workspace }, messages, now);
  return markdownPieces(conversation, format === "md" ? "inline" : "named");
}

/** Images and audio, which contain no text to search. */
const media = /(data:[\w.+-]{1,60}\/[\w.+-]{1,60};base64,)[A-Za-z0-9+/=]+/g;

function* markdownPieces(conversation: Conversation, media: "inline" | "named"): Generator<ExportPiece> {
  yield markdownPiece(markdownOfHead(conversation));
  for (const message of new MessageTree(conversation.messages, conversation.leafId).path)
    yield markdownPiece(`\n${markdownOfMessage(message, media)}`);
}

/** A piece of a Markdown file. */
export function markdownPiece(text: string): ExportPiece {
  return {
    text: () => text,
    searched: () => text.replace(media, "$1"),
    masked: (mask) => mask(text),
  };
}

function* jsonPieces(
  head: Omit<Conversation, "messages">,
  messages: readonly Message[],
  now: number,
): Generator<ExportPiece> {
  const exportedAt = new Date(now).toISOString();
  const open = `{\n  "format": "${exportFormat}",\n  "version": ${exportVersion},\n  "exportedAt": "${exportedAt}",\n  "conversations": [\n    `;
  yield jsonPiece(head, (text) => `${open}${text.slice(0, text.lastIndexOf("\n"))},\n      "messages": [`, 4);
  for (const [index, message] of messages.entries())
    yield jsonPiece(message, (text) => `${index === 0 ? "" : ","}\n        ${text}`, 8);
  const close = `${messages.length === 0 ? "" : "\n      "}]\n    }\n  ]\n}\n`;
  yield { text: () => close, searched: () => "", masked: () => close };
}

/** A value, indented by this many characters, in the text that `frame` puts around it. */
function jsonPiece(value: unknown, frame: (text: string) => string, indent: number): ExportPiece {
  const write = (written: unknown): string =>
    frame(JSON.stringify(written, undefined, 2).replaceAll("\n", `\n${" ".repeat(indent)}`));
  return {
    text: () => write(value),
    searched() {
      const texts: string[] = [];
      mapTexts(value, (text) => {
        texts.push(text.replace(media, "$1"));
        return text;
      });
      return texts.join("\n\n");
    },
    masked: (mask) => write(mapTexts(value, mask)),
  };
}

/** The JSON value with each of its texts replaced by the result of `change`, except for images and audio. */
function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === "string") return change(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change));
  if (!isRecord(value)) return value;
  const isMedia = value["type"] === "image" || value["type"] === "audio";
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      isMedia && name === "data" ? field : mapTexts(field, change),
    ]),
  );
}

/** In UTF-16 units, without the extension. */
const longest = 80;

/** A file name for a conversation's title that every file system accepts. */
export function exportFileName(title: string, extension: "md" | "json" | "html"): string {
  const name = title
    .replace(/[\p{Cc}\p{Cf}<>:"/\\|?*]+/gu, " ")
    .replace(/\s+/gu, " ")
    .slice(0, longest)
    .replace(/^[. ]+|(?<![. ])[. ]+$/gu, "");
  return `${name === "" || isReserved(name) ? `conversation ${name}`.trim() : name}.${extension}`;
}

/** Device names on Windows. */
function isReserved(name: string): boolean {
  return /^(?:con|prn|aux|nul|com\d|lpt\d)$/iu.test(name.split(".")[0] ?? "");
}

/** The text before the messages of an export for people to read. Other versions are only in the JSON export. */
export function markdownOfHead({ title, createdAt, settings }: Omit<Conversation, "messages">): string {
  const system = settings?.systemPrompt;
  const parts = [
    `# ${oneLine(title)}`,
    t("Started on {0}.", formatTime(createdAt)),
    ...(system === undefined || system === "" ? [] : [`## ${t("System Prompt")}`, system]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/**
 * A message with its role, model and time, and its original texts. Images and audio are included as data links, so that
 * the file is self-contained, or only named.
 */
export function markdownOfMessage(message: Message, media: "inline" | "named" = "inline"): string {
  const { reasoning, text, toolCalls, attachments, error } = message;
  const parts = [
    `## ${headingOf(message)}`,
    ...(message.isDamaged === true
      ? [`*${t("This message was damaged on disk: part of it may be missing or wrong.")}*`]
      : []),
    ...attachments.map((part) => (media === "named" ? nameAttachment(part) : exportAttachment(part))),
    ...(reasoning === "" ? [] : [quoteFolded(t("Reasoning"), reasoning)]),
    ...(text === "" ? [] : [text]),
    ...toolCalls.map(
      (call) => `${t("Tool call: {0}", oneLine(call.name))}\n\n${fence(call.arguments, "json")}`,
    ),
    ...(message.status === "stopped" ? [`*${t("Stopped.")}*`] : []),
    ...(error === undefined ? [] : [`*${oneLine(error.message)}*`]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Who wrote the message, with which model, and when. */
export function headingOf({ role, model, createdAt }: Message): string {
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
      return [...(part.title === undefined ? [] : [`**${oneLine(part.title)}**`]), fence(part.text, "")].join(
        "\n\n",
      );
  }
}

/** A code block whose fence is longer than any in the text. */
function fence(text: string, language: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length);
  const marks = "`".repeat(longest + 1);
  return `${marks}${language}\n${text}\n${marks}`;
}

function quoteFolded(summary: string, text: string): string {
  return `<details>\n<summary>${summary}</summary>\n\n${fence(text, "text")}\n\n</details>`;
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
