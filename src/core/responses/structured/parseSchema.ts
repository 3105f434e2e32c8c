import { t } from "@vscode/l10n";
import { isJsonObject, isRecord, stringField } from "../../kernel/json.ts";
import { messageOf } from "../../kernel/thrown.ts";
import { schemaName } from "./responseFormat.ts";
import type { ResponseFormat } from "./responseFormat.ts";

/** Maximum UTF-16 units of a schema, because it is sent with every request. */
const maxSchemaLength = 256 * 1024;

type ParsedSchema =
  | { readonly state: "schema"; readonly format: Extract<ResponseFormat, { readonly type: "jsonSchema" }> }
  | { readonly state: "refused"; readonly message: string };

/**
 * Parses a JSON Schema, either plain or as in the `response_format` or `json_schema` of a request. `fallbackName` is
 * used for a schema without a title.
 */
export function parseSchema(text: string, fallbackName: string): ParsedSchema {
  if (text.length > maxSchemaLength) {
    return refused(t("The schema is too long to send with every request. The limit is {0} kB.", String(256)));
  }
  const value = parseJson(text);
  if (value.state === "refused") return value;
  const { name, schema } = unwrap(value.value);
  if (!isJsonObject(schema)) return refused(t("A JSON Schema must be a JSON object."));
  const title = name ?? stringField(schema, "title") ?? fallbackName;
  return { state: "schema", format: { type: "jsonSchema", name: schemaName(title), schema } };
}

function parseJson(text: string): { state: "json"; value: unknown } | { state: "refused"; message: string } {
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
    return { state: "json", value };
  } catch (error) {
    const why = messageOf(error);
    return refused(t("This isn't valid JSON: {0}", why));
  }
}

/** People paste what they send elsewhere: `{type: "json_schema", json_schema: {name, schema}}`, or the inner part. */
function unwrap(value: unknown): { readonly name?: string | undefined; readonly schema: unknown } {
  if (!isRecord(value)) return { schema: value };
  if (value["type"] === "json_schema" && isRecord(value["json_schema"])) return unwrap(value["json_schema"]);
  if (isRecord(value["schema"]) && typeof value["name"] === "string") {
    return { name: value["name"], schema: value["schema"] };
  }
  return { schema: value };
}

function refused(message: string): { state: "refused"; message: string } {
  return { state: "refused", message };
}
