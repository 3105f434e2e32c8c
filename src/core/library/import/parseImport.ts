import { isRecord, parseJson } from "../../kernel/json.ts";
import { exportFormat } from "../history/exportPieces.ts";
import { joinImported } from "./imported.ts";
import type { Imported, ImportFile } from "./imported.ts";
import { parseChatGpt } from "./parseChatGpt.ts";
import { parseClaude } from "./parseClaude.ts";
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
 * The lists in files that aren't themselves a list, by the depth at which they are: of conversations, and of the messages
 * of a single one. ChatGPT keeps the messages in a record.
 */
const listNames: ReadonlyMap<string, RegExp> = new Map([
  ["[1", /^/],
  ["[2", /"(?:conversations|chats|data|requests|chat_messages|messages)"\s{0,20}:\s{0,20}$/],
  ["{2", /"mapping"\s{0,20}:\s{0,20}$/],
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
  const chat = openWebUiChat(record);
  return chat === undefined ? undefined : (value, file) => parseOpenWebUi(value, chat, file);
}

function parseList(values: readonly unknown[], file: ImportFile): Imported | undefined {
  const records = values.filter(isRecord);
  if (records.some((record) => isRecord(record["mapping"]))) return parseChatGpt(values, file);
  return records.some((record) => parserOf(record) !== undefined)
    ? joinImported(values.map((value) => parseOne(value, file)))
    : undefined;
}

/** A damaged conversation doesn't affect the others. */
function parseOne(value: unknown, file: ImportFile): Imported {
  const parse = isRecord(value) ? parserOf(value) : undefined;
  return isRecord(value) && parse !== undefined ? parse(value, file) : { conversations: [], leftOut: 1 };
}
