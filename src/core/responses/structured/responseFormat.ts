import type { ConversationSettings } from "../../conversation/conversation.ts";
import { isJsonObject, isRecord, stringField } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";

/** The required form of a response: any JSON object, or JSON that a schema accepts. */
export type ResponseFormat =
  | { readonly type: "jsonObject" }
  | { readonly type: "jsonSchema"; readonly name: string; readonly schema: JsonObject };

const parameterName = "response_format";

/** The format required by these settings; undefined if there is none, or if it isn't recognized. */
export function responseFormat(settings: ConversationSettings | undefined): ResponseFormat | undefined {
  const format = settings?.parameters?.[parameterName];
  if (!isRecord(format)) return undefined;
  if (format["type"] === "json_object") return { type: "jsonObject" };
  const named = format["type"] === "json_schema" ? format["json_schema"] : undefined;
  if (!isRecord(named)) return undefined;
  const schema = named["schema"];
  if (!isJsonObject(schema)) return undefined;
  return { type: "jsonSchema", name: stringField(named, "name") ?? "answer", schema };
}

/** The settings with their format replaced by this one. Undefined removes it. */
export function withResponseFormat(
  settings: ConversationSettings | undefined,
  format: ResponseFormat | undefined,
): ConversationSettings {
  const others = without(settings?.parameters ?? {}, parameterName);
  const parameters: JsonObject =
    format === undefined ? others : { ...others, [parameterName]: formatJson(format) };
  const rest = without(settings ?? {}, "parameters");
  return Object.keys(parameters).length === 0 ? rest : { ...rest, parameters };
}

function without<Record extends object, Name extends keyof Record>(
  record: Record,
  name: Name,
): Omit<Record, Name> {
  const { ...copy } = record;
  delete (copy as Partial<Record>)[name];
  return copy;
}

/** A name that services accept: 1 to 64 letters, digits, `_` or `-`. */
export function schemaName(wanted: string): string {
  const name = wanted.replace(/[^\w-]+/g, "_").slice(0, 64);
  return /[A-Za-z0-9]/.test(name) ? name : "answer";
}

function formatJson(format: ResponseFormat): JsonObject {
  if (format.type === "jsonObject") return { type: "json_object" };
  const { name, schema } = format;
  return { type: "json_schema", json_schema: { name: schemaName(name), schema, strict: true } };
}
