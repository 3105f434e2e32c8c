import { isRecord } from "../../core/json.ts";

const deepest = 8;

/** A value that the JSON Schema accepts, for the keywords that structured output uses. */
export function instanceOf(schema: unknown, depth = 0): unknown {
  if (!isRecord(schema) || depth > deepest) return null;
  if ("const" in schema) return schema["const"];
  const { enum: choices, anyOf, oneOf, type } = schema;
  if (Array.isArray(choices)) return choices[0];
  if (Array.isArray(anyOf)) return instanceOf(anyOf[0], depth + 1);
  if (Array.isArray(oneOf)) return instanceOf(oneOf[0], depth + 1);
  const first = Array.isArray(type) ? type[0] : type;
  switch (first ?? (isRecord(schema["properties"]) ? "object" : undefined)) {
    case "object":
      return objectOf(schema, depth);
    case "array":
      return Array.from({ length: atLeast(schema["minItems"], 1) }, () =>
        instanceOf(schema["items"], depth + 1),
      );
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return numberOf(schema);
    case "boolean":
      return true;
    default:
      return null;
  }
}

function objectOf(schema: Readonly<Record<string, unknown>>, depth: number): unknown {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, instanceOf(property, depth + 1)]),
  );
}

function textOf(schema: Readonly<Record<string, unknown>>): string {
  const formats: Readonly<Record<string, string>> = {
    date: "2026-01-01",
    "date-time": "2026-01-01T00:00:00Z",
    email: "someone@example.com",
    uri: "https://example.com/",
    uuid: "00000000-0000-4000-8000-000000000000",
  };
  const { format } = schema;
  const text = (typeof format === "string" ? formats[format] : undefined) ?? "example";
  return text.padEnd(atLeast(schema["minLength"], 0), "x");
}

function numberOf(schema: Readonly<Record<string, unknown>>): number {
  const { minimum, exclusiveMinimum, maximum } = schema;
  if (typeof minimum === "number") return minimum;
  if (typeof exclusiveMinimum === "number") return exclusiveMinimum + 1;
  return typeof maximum === "number" ? Math.min(1, maximum) : 1;
}

function atLeast(value: unknown, otherwise: number): number {
  return typeof value === "number" && value > otherwise ? value : otherwise;
}
