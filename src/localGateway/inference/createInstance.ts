import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord, numberField } from "../../core/kernel/json.ts";

/** A JSON Schema as received. Each keyword is checked where it is used. */
type Schema = Readonly<Record<string, unknown>>;

/** Below this depth only what is required is created, so that self-referencing schemas terminate. */
const fullDepth = 3;
const greatestDepth = 24;

/**
 * A value that satisfies the JSON Schema. Undefined if the schema is invalid or needs more than types, choices, limits,
 * and references within the schema, such as a pattern.
 */
export function createInstance(schema: Schema): unknown {
  try {
    const value = createValue(schema, schema, "value", 0);
    const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false, ownProperties: true });
    const named: Schema = { ...schema, $schema: undefined };
    return ajv.compile(named)(value) ? value : undefined;
  } catch {
    // The schema is invalid, or a reference can't be resolved.
    return undefined;
  }
}

function createValue(named: Schema, root: Schema, name: string, depth: number): unknown {
  if (depth > greatestDepth) return null;
  const schema = resolve(named, root, depth);
  if ("const" in schema) return schema["const"];
  if (schema["enum"] !== undefined) return listOf(schema["enum"])[0];
  const { type, properties, required, items, prefixItems } = schema;
  const isObject = type === undefined && (properties !== undefined || required !== undefined);
  const isArray = type === undefined && (items !== undefined || prefixItems !== undefined);
  switch (Array.isArray(type) ? listOf(type).find((each) => each !== "null") : type) {
    case "object":
      return createObject(schema, root, depth);
    case "array":
      return createArray(schema, root, name, depth);
    case "integer":
    case "number":
      return createNumber(schema);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      if (isObject) return createObject(schema, root, depth);
      return isArray ? createArray(schema, root, name, depth) : createText(schema, name);
  }
}

/** The schema behind a reference or an alternative: the first one that isn't null; at depth null, which ends a recursion. */
function resolve(schema: Schema, root: Schema, depth: number): Schema {
  if (depth > greatestDepth) return {};
  const { $ref, anyOf, oneOf, ...own } = schema;
  const choices = listOf(anyOf ?? oneOf);
  const isNull = (item: unknown): boolean => asSchema(item)["type"] === "null";
  const chosen = choices.find((item) => isNull(item) === depth >= fullDepth) ?? choices[0];
  const target = typeof $ref === "string" ? findReference(root, $ref) : chosen;
  return target === undefined ? schema : { ...own, ...resolve(asSchema(target), root, depth + 1) };
}

/** What a `$ref` within the schema points to. */
function findReference(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#")) throw new Error("Nothing is loaded from elsewhere.");
  const names = decodeURIComponent(reference).split("/").slice(1);
  return names.reduce<unknown>((value, name) => asSchema(value)[name], root);
}

function createObject(schema: Schema, root: Schema, depth: number): Schema {
  const properties = asSchema(schema["properties"]);
  const required = listOf(schema["required"]).filter((name) => typeof name === "string");
  const names = new Set([...(depth < fullDepth ? Object.keys(properties) : []), ...required]);
  return Object.fromEntries(
    [...names].map((name) => [name, createValue(asSchema(properties[name]), root, name, depth + 1)]),
  );
}

function createArray(schema: Schema, root: Schema, name: string, depth: number): readonly unknown[] {
  const first = listOf(schema["prefixItems"]);
  const usual = first.length > 0 || depth >= fullDepth ? first.length : 2;
  const wanted = Math.max(usual, numberField(schema, "minItems") ?? 0);
  const length = Math.min(wanted, numberField(schema, "maxItems") ?? wanted, 1_000);
  return Array.from({ length }, (_, index) =>
    createValue(asSchema(first[index] ?? schema["items"]), root, `${name} ${index + 1}`, depth + 1),
  );
}

function createNumber(schema: Schema): number {
  const least = numberField(schema, "minimum") ?? (numberField(schema, "exclusiveMinimum") ?? -Infinity) + 1;
  const most = numberField(schema, "maximum") ?? (numberField(schema, "exclusiveMaximum") ?? Infinity) - 1;
  return Math.max(Math.min(1, most), least);
}

function createText(schema: Schema, name: string): string {
  return (schema["format"] === "date" ? "2026-01-31" : name.replaceAll(/[_-]+/g, " "))
    .padEnd(Math.min(numberField(schema, "minLength") ?? 0, 100_000), " more")
    .slice(0, numberField(schema, "maxLength"));
}

/** A missing schema, like `true`, allows everything. */
function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
