import { isRecord, parseJson } from "../../kernel/json.ts";
import type { JsonRecord } from "../../kernel/json.ts";
import { exportFormat } from "../history/exportPieces.ts";
import { joinImported } from "./imported.ts";
import type { Imported, ImportFile } from "./imported.ts";
import { parseChatGpt } from "./parseChatGpt.ts";
import { parseClaude } from "./parseClaude.ts";
import { parseOwnExport } from "./parseOwnExport.ts";
import { parseVscodeChat, replaySessionLog } from "./parseVscodeChat.ts";

/** Parses the text of a file of any known format; `notJson` if it isn't JSON, undefined if it is in another format. Never throws. */
export function parseImportText(text: string, file: ImportFile): Imported | "notJson" | undefined {
  const value = replaySessionLog(text) ?? parseJson(text);
  return value === undefined ? "notJson" : parseImport(value, file);
}

/** Parses the value of a file of any known format; undefined for other formats. Never throws. */
export function parseImport(value: unknown, file: ImportFile): Imported | undefined {
  if (Array.isArray(value)) return parseList(value, file);
  if (!isRecord(value)) return undefined;
  if (value["format"] === exportFormat) return parseOwnExport(value);
  const parse = parserOf(value);
  if (parse !== undefined) return parse(value, file);
  // Some programs and tools put the list into an object.
  const lists = [value["conversations"], value["data"]].filter((list) => Array.isArray(list));
  return lists.map((list) => parseList(list, file)).find((imported) => imported !== undefined);
}

/** Parses a record that contains a conversation, in a format that is recognized by its fields. */
type RecordParser = (record: JsonRecord, file: ImportFile) => Imported;

function parserOf(record: JsonRecord): RecordParser | undefined {
  const { mapping } = record;
  if (isRecord(mapping)) return (value, file) => parseChatGpt(value, mapping, file);
  if (Array.isArray(record["requests"])) return parseVscodeChat;
  return Array.isArray(record["chat_messages"]) ? parseClaude : undefined;
}

function parseList(values: readonly unknown[], file: ImportFile): Imported | undefined {
  return values.some((value) => isRecord(value) && parserOf(value) !== undefined)
    ? joinImported(values.map((value) => parseOne(value, file)))
    : undefined;
}

/** A damaged conversation doesn't affect the others. */
function parseOne(value: unknown, file: ImportFile): Imported {
  const parse = isRecord(value) ? parserOf(value) : undefined;
  return isRecord(value) && parse !== undefined ? parse(value, file) : { conversations: [], leftOut: 1 };
}
