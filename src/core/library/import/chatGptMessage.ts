import { isRecord, stringField } from "../../kernel/json.ts";
import { readTime } from "./imported.ts";

/** What one node of ChatGPT's tree says. */
export interface ChatGptMessage {
  /** Undefined if it is nothing for the reader: hidden, of the system, or of a tool. */
  readonly role: "user" | "assistant" | undefined;
  readonly text: string;
  readonly reasoning: string;
  readonly createdAt?: number;
  readonly model?: string;
  /** Images and the like, which the file only names. */
  readonly leftOut: number;
}

const nothing: ChatGptMessage = { role: undefined, text: "", reasoning: "", leftOut: 0 };

export function readChatGptMessage(message: unknown): ChatGptMessage {
  if (!isRecord(message) || !isRecord(message["content"])) return nothing;
  const { author, content, metadata } = message;
  const role = isRecord(author) ? author["role"] : undefined;
  const isHidden = isRecord(metadata) && metadata["is_visually_hidden_from_conversation"] === true;
  if ((role !== "user" && role !== "assistant") || isHidden || !isRecord(content)) return nothing;
  const createdAt = readTime(message, "create_time", "s");
  const model = isRecord(metadata) ? stringField(metadata, "model_slug") : undefined;
  return {
    role,
    ...readContent(content),
    ...(createdAt === undefined ? {} : { createdAt }),
    ...(model === undefined ? {} : { model }),
  };
}

function readContent(
  content: Readonly<Record<string, unknown>>,
): Pick<ChatGptMessage, "text" | "reasoning" | "leftOut"> {
  const none = { text: "", reasoning: "", leftOut: 0 };
  switch (content["content_type"]) {
    case "text":
    case "multimodal_text":
      return { ...none, ...readParts(content["parts"]) };
    case "code":
      return { ...none, text: fenced(stringField(content, "text") ?? "", stringField(content, "language")) };
    case "thoughts":
      return { ...none, reasoning: readThoughts(content["thoughts"]) };
    default:
      // Contexts, browsing and recaps are not what someone said.
      return none;
  }
}

function readParts(parts: unknown): { readonly text: string; readonly leftOut: number } {
  const values: readonly unknown[] = Array.isArray(parts) ? parts : [];
  const texts = values.flatMap((part) => {
    if (typeof part === "string") return [part];
    const text = isRecord(part) ? stringField(part, "text") : undefined;
    return text === undefined ? [] : [text];
  });
  const text = texts.filter((part) => part.trim() !== "").join("\n\n");
  return { text, leftOut: values.length - texts.length };
}

function readThoughts(thoughts: unknown): string {
  const values: readonly unknown[] = Array.isArray(thoughts) ? thoughts : [];
  return values
    .flatMap((thought) =>
      isRecord(thought) ? [stringField(thought, "summary"), stringField(thought, "content")] : [],
    )
    .filter((text) => text !== undefined && text !== "")
    .join("\n\n");
}

function fenced(code: string, language: string | undefined): string {
  if (code === "") return "";
  const marks = code.includes("```") ? "````" : "```";
  return `${marks}${language === undefined || language === "unknown" ? "" : language}\n${code}\n${marks}`;
}
