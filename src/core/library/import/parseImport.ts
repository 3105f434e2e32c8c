import type { ContentPart, ToolCall } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import { isRecord, parseJson, stringField } from "../../kernel/json.ts";
import { exportFormat } from "../history/exportPieces.ts";
import { clineTask, finishClineTask, userText, parseClineView } from "./parseClineView.ts";
import { importedMessage, joinImported, readTime } from "./imported.ts";
import type { Imported, ImportFile } from "./imported.ts";
import { parseChatGpt } from "./parseChatGpt.ts";
import { parseContinue } from "./parseContinue.ts";
import { parseClaude } from "./parseClaude.ts";
import { isCherryStudio, parseCherryStudio } from "./parseCherryStudio.ts";
import { isLmStudio, parseLmStudio } from "./parseLmStudio.ts";
import { openWebUiChat, parseOpenWebUi } from "./parseOpenWebUi.ts";
import { parseOwnExport } from "./parseOwnExport.ts";
import { parseVscodeChat } from "./parseVscodeChat.ts";

/**
 * Parses the text of a file. Of one that ends in the middle of a list, the conversations before that are read.
 * `notJson` if nothing can be read, undefined if it is in another format. Never throws.
 */
export function parseImportText(text: string, file: ImportFile): Imported | "notJson" | undefined {
  const value = parseJson(text);
  if (value !== undefined) return parseImport(value, file);
  const imported = parseImport(parseJson(wholePart(text)), file);
  if (imported === undefined || imported.conversations.length === 0) return "notJson";
  return { ...imported, truncated: 1 };
}

/**
 * The lists in files that aren't themselves a list, by the depth at which they are: of conversations, of the messages
 * of a single one, and those of a backup of Cherry Studio. ChatGPT keeps the messages in a record.
 */
const listNames: ReadonlyMap<string, RegExp> = new Map([
  ["[1", /^/],
  ["[2", /"(?:conversations|chats|data|requests|chat_messages|messages|history)"\s{0,20}:\s{0,20}$/],
  ["{2", /"mapping"\s{0,20}:\s{0,20}$/],
  ["[3", /"(?:topics|message_blocks)"\s{0,20}:\s{0,20}$/],
]);

/**
 * The text up to the last whole record of the last such list, with everything around it closed; undefined if there is
 * none.
 */
function wholePart(text: string): string | undefined {
  let depth = 0;
  // The nesting depth within the list, and where the last whole record of a list ends, with the list's depth.
  let inList = 0;
  let closing = "]";
  let [end, endDepth, endClosing] = [-1, 0, closing];
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    switch (character) {
      case '"':
        index = endOfString(text, index);
        break;
      case "[":
      case "{": {
        depth++;
        const names = inList === 0 ? listNames.get(character + depth) : undefined;
        if (names?.test(text.slice(Math.max(0, index - 60), index)) !== true) break;
        inList = depth;
        closing = character === "[" ? "]" : "}";
        break;
      }
      case "]":
      case "}":
        depth--;
        if (inList > 0 && depth === inList) [end, endDepth, endClosing] = [index + 1, depth, closing];
        if (depth < inList) inList = 0;
        break;
    }
  }
  return end === -1 ? undefined : `${text.slice(0, end)}${endClosing}${"}".repeat(endDepth - 1)}`;
}

/** The index of the quotation mark that ends the string which begins at the index, or the end of the text. */
function endOfString(text: string, begin: number): number {
  for (let index = begin + 1; index < text.length; index++) {
    if (text[index] === "\\") index++;
    else if (text[index] === '"') return index;
  }
  return text.length;
}

/** Parses a file of any known format; undefined for other formats. Never throws. */
export function parseImport(value: unknown, file: ImportFile): Imported | undefined {
  if (Array.isArray(value)) return parseList(value, file);
  if (!isRecord(value)) return undefined;
  if (value["format"] === exportFormat) return parseOwnExport(value);
  const parse = parserOf(value);
  if (parse !== undefined) return parse(value, file);
  // Some programs and tools put the list into an object.
  const lists = [value["conversations"], value["chats"], value["data"]].filter((list) => Array.isArray(list));
  return lists.map((list) => parseList(list, file)).find((imported) => imported !== undefined);
}

/** Parses a record that contains a conversation, in a format that is recognized by its fields. */
type RecordParser = (record: Readonly<Record<string, unknown>>, file: ImportFile) => Imported;

function parserOf(record: Readonly<Record<string, unknown>>): RecordParser | undefined {
  if (isRecord(record["mapping"])) return (value, file) => parseChatGpt([value], file);
  if (Array.isArray(record["requests"])) return parseVscodeChat;
  if (Array.isArray(record["chat_messages"])) return parseClaude;
  if (isCherryStudio(record)) return parseCherryStudio;
  const chat = openWebUiChat(record);
  if (chat !== undefined) return (value, file) => parseOpenWebUi(value, chat, file);
  if (isLmStudio(record)) return parseLmStudio;
  return Array.isArray(record["history"]) ? parseContinue : undefined;
}

function parseList(values: readonly unknown[], file: ImportFile): Imported | undefined {
  const records = values.filter(isRecord);
  if (records.some((record) => isRecord(record["mapping"]))) return parseChatGpt(values, file);
  if (records.some((record) => parserOf(record) !== undefined))
    return joinImported(values.map((value) => parseOne(value, file)));
  if (records.some((record) => stringField(record, "role") !== undefined && record["content"] !== undefined))
    return parseClineTask(values, file);
  const isView = records.some(({ type, ts }) => (type === "say" || type === "ask") && typeof ts === "number");
  return isView ? parseClineView(values, file) : undefined;
}

/** A damaged conversation doesn't affect the others. */
function parseOne(value: unknown, file: ImportFile): Imported {
  const parse = isRecord(value) ? parserOf(value) : undefined;
  return isRecord(value) && parse !== undefined ? parse(value, file) : { conversations: [], leftOut: 1 };
}

/** Parses `api_conversation_history.json` of a Cline or Roo Code task: messages made of blocks, in sequence. */
function parseClineTask(values: readonly unknown[], file: ImportFile): Imported {
  const task = clineTask(file);
  let leftOut = 0;
  const messages = values.flatMap((value, index) => {
    const parsed = isRecord(value) ? parseMessage(value, `${task.id}-${index}`, task.startedAt + index) : [];
    if (parsed.length === 0) leftOut++;
    return parsed;
  });
  return finishClineTask(task, messages, leftOut);
}

/** A user message may contain tool results, which become separate messages before it. */
function parseMessage(
  record: Readonly<Record<string, unknown>>,
  id: string,
  otherwise: number,
): readonly Message[] {
  const { role, content } = record;
  if (role !== "user" && role !== "assistant") return [];
  const createdAt = readTime(record, "ts") ?? otherwise;
  const blocks: readonly unknown[] =
    typeof content === "string" ? [{ type: "text", text: content }] : toList(content);
  const records = blocks.filter(isRecord);
  const text = textOf(records, "text", "text");
  const message = importedMessage({
    ...{ id, role, createdAt },
    text: role === "user" ? userText(text) : text,
    reasoning: textOf(records, "thinking", "thinking"),
    attachments: records.flatMap(parseImage),
    toolCalls: records.flatMap(parseToolUse),
  });
  const results = records.flatMap((block, index) => parseResult(block, `${id}-${index}`, createdAt));
  return isEmpty(message) ? results : [...results, message];
}

function parseToolUse(block: Readonly<Record<string, unknown>>): readonly ToolCall[] {
  const [id, name] = [stringField(block, "id"), stringField(block, "name")];
  if (block["type"] !== "tool_use" || id === undefined || name === undefined) return [];
  return [{ id, name, arguments: writeInput(block["input"] ?? {}) }];
}

function writeInput(input: unknown): string {
  try {
    return JSON.stringify(input);
  } catch {
    // Nested deeper than any tool's arguments.
    return "{}";
  }
}

function parseResult(
  block: Readonly<Record<string, unknown>>,
  id: string,
  createdAt: number,
): readonly Message[] {
  const toolCallId = stringField(block, "tool_use_id");
  if (block["type"] !== "tool_result" || toolCallId === undefined) return [];
  const { content } = block;
  const text =
    typeof content === "string" ? content : textOf(toList(content).filter(isRecord), "text", "text");
  return [importedMessage({ id, role: "tool", createdAt, text, toolCallId })];
}

function parseImage(block: Readonly<Record<string, unknown>>): readonly ContentPart[] {
  const { type, source } = block;
  if (type !== "image" || !isRecord(source)) return [];
  const [mediaType, data] = [stringField(source, "media_type"), stringField(source, "data")];
  return mediaType === undefined || data === undefined ? [] : [{ type: "image", mediaType, data }];
}

function textOf(blocks: readonly Readonly<Record<string, unknown>>[], type: string, field: string): string {
  return blocks
    .filter((block) => block["type"] === type)
    .flatMap((block) => stringField(block, field) ?? [])
    .join("\n\n");
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isEmpty({ text, reasoning, attachments, toolCalls }: Message): boolean {
  return text === "" && reasoning === "" && attachments.length === 0 && toolCalls.length === 0;
}
