import { isDeepStrictEqual } from "node:util";
import { isRecord, numberField, stringField } from "../../core/kernel/json.ts";
import type { Schema } from "./schema.ts";
import { asSchema, propertySchemas, resolveReference, schemaList } from "./schema.ts";

/**
 * Whether a value satisfies a JSON Schema: the keywords that structured outputs use. Formats are not checked; nothing
 * satisfies a reference that leads out of the document.
 */
export function isValid(value: unknown, schema: Schema, root: Schema = schema): boolean {
  if (typeof schema["$ref"] === "string") {
    const { $ref, ...beside } = schema;
    const target = resolveReference({ $ref }, root);
    return target !== undefined && isValid(value, target, root) && isValid(value, beside, root);
  }
  return (
    hasType(value, schema) &&
    isAllowedValue(value, schema) &&
    isValidNumber(value, schema) &&
    isValidString(value, schema) &&
    isValidArray(value, schema, root) &&
    isValidObject(value, schema, root) &&
    isValidCombination(value, schema, root)
  );
}

function hasType(value: unknown, { type }: Schema): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? schemaList(type) : [type];
  return type === undefined || types.some((name) => isOfType(value, name));
}

function isOfType(value: unknown, type: unknown): boolean {
  if (type === "null") return value === null;
  if (type === "array") return Array.isArray(value);
  if (type === "object") return isRecord(value);
  return type === "integer" ? Number.isInteger(value) : typeof value === type;
}

function isAllowedValue(value: unknown, schema: Schema): boolean {
  if ("const" in schema && !isDeepStrictEqual(value, schema["const"])) return false;
  const choices = schema["enum"];
  return choices === undefined || schemaList(choices).some((item) => isDeepStrictEqual(item, value));
}

function isValidNumber(value: unknown, schema: Schema): boolean {
  if (typeof value !== "number") return true;
  const step = numberField(schema, "multipleOf");
  return (
    value >= (numberField(schema, "minimum") ?? -Infinity) &&
    value <= (numberField(schema, "maximum") ?? Infinity) &&
    value > (numberField(schema, "exclusiveMinimum") ?? -Infinity) &&
    value < (numberField(schema, "exclusiveMaximum") ?? Infinity) &&
    (step === undefined || Math.abs(value / step - Math.round(value / step)) < 1e-9)
  );
}

function isValidString(value: unknown, schema: Schema): boolean {
  if (typeof value !== "string") return true;
  const { length } = [...value];
  const pattern = stringField(schema, "pattern");
  return (
    length >= (numberField(schema, "minLength") ?? 0) &&
    length <= (numberField(schema, "maxLength") ?? Infinity) &&
    (pattern === undefined || new RegExp(pattern, "u").test(value))
  );
}

function isValidArray(value: unknown, schema: Schema, root: Schema): boolean {
  if (!Array.isArray(value)) return true;
  const items: readonly unknown[] = value;
  const { prefixItems, contains, uniqueItems } = schema;
  const first = schemaList(prefixItems);
  const differentCount = new Set(items.map((item) => JSON.stringify(item))).size;
  return (
    items.length >= (numberField(schema, "minItems") ?? 0) &&
    items.length <= (numberField(schema, "maxItems") ?? Infinity) &&
    items.every((item, index) => isValid(item, asSchema(first[index] ?? schema["items"]), root)) &&
    (contains === undefined || items.some((item) => isValid(item, asSchema(contains), root))) &&
    (uniqueItems !== true || differentCount === items.length)
  );
}

function isValidObject(value: unknown, schema: Schema, root: Schema): boolean {
  if (!isRecord(value)) return true;
  const names = Object.keys(value);
  return (
    schemaList(schema["required"]).every((name) => typeof name === "string" && Object.hasOwn(value, name)) &&
    names.length >= (numberField(schema, "minProperties") ?? 0) &&
    names.length <= (numberField(schema, "maxProperties") ?? Infinity) &&
    names.every((name) =>
      propertySchemas(name, schema).every((property) => isValid(value[name], asSchema(property), root)),
    )
  );
}

function isValidCombination(value: unknown, schema: Schema, root: Schema): boolean {
  const fits = (item: unknown): boolean => isValid(value, asSchema(item), root);
  const { anyOf, oneOf, allOf, not, if: condition } = schema;
  const branch = condition === undefined ? undefined : schema[fits(condition) ? "then" : "else"];
  return (
    (anyOf === undefined || schemaList(anyOf).some(fits)) &&
    (oneOf === undefined || schemaList(oneOf).filter(fits).length === 1) &&
    schemaList(allOf).every(fits) &&
    (not === undefined || !fits(not)) &&
    (branch === undefined || fits(branch))
  );
}
