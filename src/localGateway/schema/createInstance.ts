import { Ajv } from "ajv";
import type { Options } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isRecord, numberField, stringField } from "../../core/kernel/json.ts";
import { pick } from "../kernel/seededRandom.ts";
import { createPatternText } from "./patternText.ts";

const longestText = 100_000;

/** A string that fits the schema of the property with this name. */
function createSchemaText(schema: Schema, name: string, random: () => number): string {
  const pattern = stringField(schema, "pattern");
  if (pattern !== undefined) return createPatternText(pattern, random);
  const made = createFormatText(stringField(schema, "format"), random);
  if (made !== undefined) return made;
  const text = `${name.replaceAll(/[_-]+/g, " ")} ${numberFrom(random, 1, 99)}`;
  const least = Math.min(numberField(schema, "minLength") ?? 0, longestText);
  return [...text.padEnd(least, " more")]
    .slice(0, Math.max(least, numberField(schema, "maxLength") ?? longestText))
    .join("");
}

function numberFrom(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function createFormatText(format: string | undefined, random: () => number): string | undefined {
  const two = (least: number, most: number): string =>
    String(numberFrom(random, least, most)).padStart(2, "0");
  const hex = (length: number): string =>
    Array.from({ length }, () => numberFrom(random, 0, 15).toString(16)).join("");
  const date = `20${two(20, 29)}-${two(1, 12)}-${two(1, 28)}`;
  const time = `${two(0, 23)}:${two(0, 59)}:${two(0, 59)}Z`;
  const texts: Readonly<Record<string, string>> = {
    date,
    time,
    "date-time": `${date}T${time}`,
    duration: `PT${two(1, 59)}M`,
    email: `person${two(1, 99)}@example.com`,
    hostname: `host${two(1, 99)}.example.com`,
    uri: `https://example.com/${two(1, 99)}`,
    uuid: `${hex(8)}-${hex(4)}-4${hex(3)}-8${hex(3)}-${hex(12)}`,
    ipv4: `192.0.2.${numberFrom(random, 1, 254)}`,
    ipv6: `2001:db8::${hex(4)}`,
  };
  return format === undefined ? undefined : texts[format];
}

/** Below this depth only required properties are created, so that self-referencing schemas terminate. */
const fullDepth = 3;
const greatestDepth = 24;
const mostItems = 1_000;

/** A value that satisfies the JSON Schema, or undefined if none can be found or the schema is invalid. */
export function createInstance(schema: Schema, random: () => number): unknown {
  try {
    const isValid = compileSchema(schema);
    const maker = new InstanceMaker(schema, random);
    for (let attempt = 0; attempt < 20; attempt++) {
      const value = maker.make(schema, "value", 0);
      if (isValid(value)) return value;
    }
  } catch {
    // The pattern isn't a regular expression, a reference can't be resolved, or the schema never ends.
  }
  return undefined;
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
  const schema = Object.fromEntries(Object.entries(named).filter(([keyword]) => keyword !== "$schema"));
  try {
    return new Ajv2020(options).compile(schema);
  } catch {
    return new Ajv(options).compile(schema);
  }
}

class InstanceMaker {
  readonly #root: Schema;
  readonly #random: () => number;

  constructor(root: Schema, random: () => number) {
    this.#root = root;
    this.#random = random;
  }

  make(schema: Schema, name: string, depth: number): unknown {
    if (depth > greatestDepth) return null;
    const whole = this.#flatten(schema, depth);
    if ("const" in whole) return whole["const"];
    if (whole["enum"] !== undefined) return pick(this.#random, schemaList(whole["enum"]));
    if ("default" in whole && depth > 0) return whole["default"];
    switch (pickType(whole, depth)) {
      case "object":
        return this.#makeObject(whole, depth);
      case "array":
        return this.#makeArray(whole, name, depth);
      case "integer":
        return this.#makeNumber(whole, 1);
      case "number":
        return this.#makeNumber(whole, 0.5);
      case "boolean":
        return this.#random() < 0.5;
      case "null":
        return null;
      default:
        return createSchemaText(whole, name, this.#random);
    }
  }

  /** Merges what `$ref`, `allOf` and one alternative of `anyOf` or `oneOf` add. */
  #flatten(schema: Schema, depth: number, hops = 0): Schema {
    if (hops > greatestDepth) return {};
    const { $ref, allOf, anyOf, oneOf, ...own } = schema;
    const target = $ref === undefined ? [] : [resolveReference({ $ref }, this.#root)];
    const chosen = [anyOf, oneOf].map(schemaList).filter((list) => list.length > 0);
    const added = [
      ...target,
      ...schemaList(allOf),
      ...chosen.map((list) => this.#pickAlternative(list, depth)),
    ].map((part) => this.#flatten(asSchema(part), depth, hops + 1));
    return added.reduce<Schema>((sum, part) => mergeSchemas(part, sum), own);
  }

  /** At depth, alternatives that end a recursion come first: null, then anything that contains nothing. */
  #pickAlternative(list: readonly unknown[], depth: number): unknown {
    const typeOf = (item: unknown): unknown => asSchema(item)["type"];
    const real = list.filter((item) => typeOf(item) !== "null");
    if (depth < fullDepth) return pick(this.#random, real.length > 0 ? real : list);
    const simple =
      list.find((item) => typeOf(item) === "null") ?? list.find((item) => isSimple(typeOf(item)));
    return simple ?? list[0];
  }

  #makeObject(schema: Schema, depth: number): Readonly<Record<string, unknown>> {
    const required = schemaList(schema["required"]).filter((name) => typeof name === "string");
    const named = Object.entries(asSchema(schema["properties"]))
      .filter(([name, property]) => property !== false || required.includes(name))
      .map(([name]) => name);
    const names = new Set(depth < fullDepth ? [...named, ...required] : required);
    const least = Math.min(numberField(schema, "minProperties") ?? 0, mostItems);
    for (let extra = 1; names.size < least; extra++) names.add(`property${extra}`);
    const makeProperty = (name: string): readonly [string, unknown] => {
      const parts = propertySchemas(name, schema).map(asSchema);
      return [name, this.make(parts.length === 1 ? asSchema(parts[0]) : { allOf: parts }, name, depth + 1)];
    };
    return Object.fromEntries([...names].map(makeProperty));
  }

  #makeArray(schema: Schema, name: string, depth: number): readonly unknown[] {
    const { prefixItems, items: rest, contains, uniqueItems } = schema;
    // Draft-07 specifies the elements of a tuple in `items`.
    const first = schemaList(prefixItems ?? rest);
    const least = numberField(schema, "minItems") ?? (contains === undefined ? 0 : 1);
    const usual = depth < fullDepth && schema["items"] !== false ? Math.max(2, first.length) : first.length;
    const length = Math.min(Math.max(least, usual), numberField(schema, "maxItems") ?? mostItems, mostItems);
    const items = new Map<string, unknown>();
    for (let tries = 0; items.size < length && tries < length * 10; tries++) {
      const part = first[items.size] ?? contains ?? schema["items"];
      const item = this.make(asSchema(part), name, depth + 1);
      items.set(uniqueItems === true ? JSON.stringify(item) : String(items.size), item);
    }
    return [...items.values()];
  }

  #makeNumber(schema: Schema, usualStep: number): number {
    const step = numberField(schema, "multipleOf") ?? usualStep;
    const above = numberField(schema, "exclusiveMinimum") ?? -Infinity;
    const below = numberField(schema, "exclusiveMaximum") ?? Infinity;
    const least = Math.max(numberField(schema, "minimum") ?? -Infinity, above);
    const most = Math.min(numberField(schema, "maximum") ?? Infinity, below);
    const from = least === -Infinity ? Math.min(0, most - 100) : least;
    const to = most === Infinity ? from + 100 : most;
    const multiple =
      Math.ceil(from / step) +
      Math.floor(this.#random() * (Math.floor(to / step) - Math.ceil(from / step) + 1));
    const value = Number((multiple * step).toPrecision(12));
    return value > above && value < below && value >= from && value <= to ? value : (from + to) / 2;
  }
}

function pickType(schema: Schema, depth: number): unknown {
  const { type } = schema;
  const types: readonly unknown[] = Array.isArray(type) ? schemaList(type) : [type];
  const isNullable = types.includes("null");
  const known = types.find((name) => name !== "null" && name !== undefined);
  if (isNullable && (known === undefined || depth >= fullDepth)) return "null";
  if (known !== undefined) return known;
  if (schema["properties"] !== undefined || schema["required"] !== undefined) return "object";
  if (schema["items"] !== undefined || schema["prefixItems"] !== undefined) return "array";
  return schema["minimum"] !== undefined || schema["maximum"] !== undefined ? "number" : "string";
}

function isSimple(type: unknown): boolean {
  return type !== "object" && type !== "array" && type !== undefined;
}

/** Combines properties and required names. For everything else, the later schema wins. */
function mergeSchemas(a: Schema, b: Schema): Schema {
  const merged = { ...a, ...b };
  if (a["properties"] !== undefined && b["properties"] !== undefined) {
    Object.assign(merged, { properties: { ...asSchema(a["properties"]), ...asSchema(b["properties"]) } });
  }
  if (a["required"] !== undefined && b["required"] !== undefined) {
    Object.assign(merged, { required: [...schemaList(a["required"]), ...schemaList(b["required"])] });
  }
  return merged;
}

/** A JSON Schema as received. Each keyword is checked where it is used. */
type Schema = Readonly<Record<string, unknown>>;

/** A schema can also be `true` or `false`. A missing schema allows everything. */
function asSchema(value: unknown): Schema {
  if (value === false) return { not: {} };
  return isRecord(value) ? value : {};
}

function schemaList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The schema that a `$ref` inside the same document points to, or the schema itself if it has no `$ref`. */
function resolveReference(schema: Schema, root: Schema): Schema | undefined {
  let current: unknown = schema;
  for (let hops = 0; hops < 20 && isRecord(current); hops++) {
    const reference: unknown = current["$ref"];
    if (typeof reference !== "string") return current;
    current = reference.startsWith("#") ? findByPointer(root, reference.slice(1)) : undefined;
  }
  return undefined;
}

function findByPointer(root: Schema, pointer: string): unknown {
  const names = decodeURIComponent(pointer).split("/").slice(1);
  return names.reduce<unknown>((value, name) => {
    const key = name.replaceAll("~1", "/").replaceAll("~0", "~");
    if (Array.isArray(value)) return schemaList(value)[Number(key)];
    return isRecord(value) ? value[key] : undefined;
  }, root);
}

/** All schemas that a property of this name has to satisfy. */
function propertySchemas(name: string, schema: Schema): readonly unknown[] {
  const named = Object.entries(asSchema(schema["properties"])).filter(([property]) => property === name);
  const matching = Object.entries(asSchema(schema["patternProperties"])).filter(([pattern]) =>
    new RegExp(pattern, "u").test(name),
  );
  const found = [...named, ...matching].map(([, property]) => property);
  return found.length > 0 ? found : [schema["additionalProperties"]];
}
