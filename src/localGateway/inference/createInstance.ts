import { Ajv } from "ajv";
import type { Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord, numberField, stringField } from "../../core/kernel/json.ts";

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
    return compileSchema(schema)(value) ? value : undefined;
  } catch {
    // The schema is invalid, or a reference can't be resolved.
    return undefined;
  }
}

const options: Options = {
  ...{ strict: false, validateFormats: false, logger: false, ownProperties: true, addUsedSchema: false },
  multipleOfPrecision: 9,
};

/**
 * Uses the rules of the current draft, or those of draft-07 if that fails, because draft-07 has a different syntax for
 * tuples.
 */
function compileSchema(named: Schema): (value: unknown) => boolean {
  const schema: Schema = { ...named, $schema: undefined };
  try {
    return new Ajv2020(options).compile(schema);
  } catch {
    return new Ajv(options).compile(schema);
  }
}

function createValue(schema: Schema, root: Schema, name: string, depth: number): unknown {
  if (depth > greatestDepth) return null;
  const whole = flatten(schema, root, depth);
  if ("const" in whole) return whole["const"];
  if (whole["enum"] !== undefined) return listOf(whole["enum"])[0];
  if ("default" in whole) return whole["default"];
  switch (typeOf(whole)) {
    case "object":
      return createObject(whole, root, depth);
    case "array":
      return createArray(whole, root, name, depth);
    case "integer":
    case "number":
      return createNumber(whole);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return createText(whole, name);
  }
}

/** Merges what `$ref`, `allOf` and one alternative of `anyOf` or `oneOf` add. */
function flatten(schema: Schema, root: Schema, depth: number): Schema {
  if (depth > greatestDepth) return {};
  const { $ref, allOf, anyOf, oneOf, ...own } = schema;
  const added = [
    ...(typeof $ref === "string" ? [findReference(root, $ref)] : []),
    ...listOf(allOf),
    ...[anyOf, oneOf].map(listOf).flatMap((list) => (list.length > 0 ? [pickAlternative(list, depth)] : [])),
  ].map((part) => flatten(asSchema(part), root, depth + 1));
  return added.reduce<Schema>((sum, part) => mergeSchemas(part, sum), own);
}

/** The first one that isn't null; at depth null, which ends a recursion. */
function pickAlternative(list: readonly unknown[], depth: number): unknown {
  const isNull = (item: unknown): boolean => asSchema(item)["type"] === "null";
  return list.find((item) => isNull(item) === depth >= fullDepth) ?? list[0];
}

/** Combines properties and required names. For everything else, the later schema wins. */
function mergeSchemas(a: Schema, b: Schema): Schema {
  return {
    ...a,
    ...b,
    properties: { ...asSchema(a["properties"]), ...asSchema(b["properties"]) },
    required: [...listOf(a["required"]), ...listOf(b["required"])],
  };
}

/** What a `$ref` within the schema points to. */
function findReference(root: Schema, reference: string): unknown {
  if (!reference.startsWith("#")) throw new Error("Nothing is loaded from elsewhere.");
  const names = decodeURIComponent(reference).split("/").slice(1);
  return names.reduce<unknown>((value, name) => {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    return Array.isArray(value) ? listOf(value)[Number(key)] : asSchema(value)[key];
  }, root);
}

function typeOf(schema: Schema): unknown {
  const { type, properties, required, items, prefixItems } = schema;
  if (type !== undefined) return Array.isArray(type) ? listOf(type).find((name) => name !== "null") : type;
  if (Object.keys(asSchema(properties)).length > 0 || listOf(required).length > 0) return "object";
  return items === undefined && prefixItems === undefined ? "string" : "array";
}

function createObject(schema: Schema, root: Schema, depth: number): Schema {
  const properties = asSchema(schema["properties"]);
  const required = listOf(schema["required"]).filter((name) => typeof name === "string");
  const names = new Set([...(depth < fullDepth ? Object.keys(properties) : []), ...required]);
  const createProperty = (name: string): readonly [string, unknown] => {
    const property = asSchema(properties[name] ?? schema["additionalProperties"]);
    return [name, createValue(property, root, name, depth + 1)];
  };
  return Object.fromEntries([...names].map(createProperty));
}

function createArray(schema: Schema, root: Schema, name: string, depth: number): readonly unknown[] {
  const { prefixItems, items } = schema;
  // Draft-07 specifies the elements of a tuple in `items`.
  const first = listOf(prefixItems ?? items);
  const usual = first.length > 0 || depth >= fullDepth ? first.length : 2;
  const wanted = Math.max(usual, numberField(schema, "minItems") ?? 0);
  const length = Math.min(wanted, numberField(schema, "maxItems") ?? wanted, 1_000);
  return Array.from({ length }, (_, index) =>
    createValue(asSchema(first[index] ?? items), root, `${name} ${index + 1}`, depth + 1),
  );
}

function createNumber(schema: Schema): number {
  const step = numberField(schema, "multipleOf") ?? 1;
  const least =
    numberField(schema, "minimum") ?? (numberField(schema, "exclusiveMinimum") ?? -Infinity) + step;
  const most = numberField(schema, "maximum") ?? (numberField(schema, "exclusiveMaximum") ?? Infinity) - step;
  const near = Math.max(Math.min(1, most), least);
  const value = Number((Math.ceil(near / step) * step).toPrecision(12));
  // Between two close limits there may be no multiple of 1.
  return value <= most ? value : (least + most) / 2;
}

const formatTexts: ReadonlyMap<string | undefined, string> = new Map([
  ["date", "2026-01-31"],
  ["time", "09:30:00Z"],
  ["date-time", "2026-01-31T09:30:00Z"],
  ["email", "person@example.com"],
  ["uri", "https://example.com/"],
  ["uuid", "00000000-0000-4000-8000-000000000000"],
]);

function createText(schema: Schema, name: string): string {
  const text = formatTexts.get(stringField(schema, "format")) ?? name.replaceAll(/[_-]+/g, " ");
  return text
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
