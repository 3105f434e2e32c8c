import { exportFormat } from "../history/exportJson.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import type { ImportFile, Imported } from "./imported.ts";
import { parseChatGpt } from "./parseChatGpt.ts";
import { parseClineTask } from "./parseClineTask.ts";
import { parseClineView } from "./parseClineView.ts";
import { parseContinue } from "./parseContinue.ts";
import { parseOwnExport } from "./parseOwnExport.ts";

/** Reads whatever the file is; undefined where it is none of the kinds that are known. Never throws. */
export function parseImport(value: unknown, file: ImportFile): Imported | undefined {
  if (Array.isArray(value)) return parseList(value, file);
  if (!isRecord(value)) return undefined;
  if (value["format"] === exportFormat) return parseOwnExport(value);
  if (isRecord(value["mapping"])) return parseChatGpt([value]);
  return Array.isArray(value["history"]) ? parseContinue(value, file) : undefined;
}

function parseList(values: readonly unknown[], file: ImportFile): Imported | undefined {
  const records = values.filter(isRecord);
  if (records.some((record) => isRecord(record["mapping"]))) return parseChatGpt(values);
  if (records.some((record) => stringField(record, "role") !== undefined && record["content"] !== undefined))
    return parseClineTask(values, file);
  const isView = records.some(({ type, ts }) => (type === "say" || type === "ask") && typeof ts === "number");
  return isView ? parseClineView(values, file) : undefined;
}
