import { isRecord } from "../../core/kernel/json.ts";

/** A JSON Schema as received. Each keyword is checked where it is used. */
export type Schema = Readonly<Record<string, unknown>>;

/** A schema can also be `true` or `false`. A missing schema allows everything. */
export function asSchema(value: unknown): Schema {
  if (value === false) return { not: {} };
  return isRecord(value) ? value : {};
}

export function schemaList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The schema that a `$ref` inside the same document points to, or the schema itself if it has no `$ref`. */
export function resolveReference(schema: Schema, root: Schema): Schema | undefined {
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
export function propertySchemas(name: string, schema: Schema): readonly unknown[] {
  const named = Object.entries(asSchema(schema["properties"])).filter(([property]) => property === name);
  const matching = Object.entries(asSchema(schema["patternProperties"])).filter(([pattern]) =>
    new RegExp(pattern, "u").test(name),
  );
  const found = [...named, ...matching].map(([, property]) => property);
  return found.length > 0 ? found : [schema["additionalProperties"]];
}
