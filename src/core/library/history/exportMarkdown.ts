import { t } from "@vscode/l10n";
import type { ContentPart } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";

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
