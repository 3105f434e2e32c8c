import { isRecord, parseJson } from "../../core/kernel/json.ts";

const maxValues = 2_000;
const maxDepth = 12;
const maxInside = 20;

/**
 * Visits the fields of an error body, the outermost first, and those of JSON inside its texts. Names are in lower case
 * without hyphens, underscores and dots. Very large or deep values are visited only in part.
 */
export function visitErrorFields(document: unknown, visit: (name: string, value: unknown) => void): void {
  let level: readonly unknown[] = [document];
  let seen = 0;
  let inside = 0;
  for (let depth = 0; depth < maxDepth && level.length > 0; depth++) {
    const next: unknown[] = [];
    for (const value of level) {
      if (++seen > maxValues) return;
      if (typeof value === "string") {
        const parsed = inside < maxInside ? parseJsonInside(value)?.value : undefined;
        if (parsed !== undefined) inside++;
        next.push(parsed);
      } else if (Array.isArray(value)) next.push(...value.slice(0, 50));
      else if (isRecord(value)) {
        for (const [name, inner] of Object.entries(value).slice(0, 200)) {
          visit(plainName(name), inner);
          next.push(inner);
        }
      }
    }
    level = next;
  }
}

/** The name in lower case without hyphens, underscores and dots. */
export function plainName(name: string): string {
  return name.slice(0, 100).toLowerCase().replace(/[-_.]/g, "");
}

/** JSON inside a text, and what precedes it. */
export interface JsonInside {
  readonly prefix: string;
  readonly value: object;
}

const longestPrefix = 300;

/**
 * The object or list in a text: the text itself, the data of its first event, or the end of a sentence, as in
 * `OpenAIException - {"error": …}`. Undefined if there is none.
 */
export function parseJsonInside(text: string): JsonInside | undefined {
  const trimmed = text.trim();
  const data = /^(?:event:[^\n]{0,100}\n)?data:\s?/.exec(trimmed);
  if (data !== null) {
    const end = trimmed.indexOf("\n", data[0].length);
    return parseFrom(trimmed.slice(0, end === -1 ? trimmed.length : end), data[0].length, "");
  }
  const start = trimmed.search(/[[{]/);
  if (start === -1 || start > longestPrefix || !/[\]}]$/.test(trimmed)) return undefined;
  const object = trimmed.indexOf("{");
  return (
    parseFrom(trimmed, start, trimmed.slice(0, start)) ??
    (object > start && object <= longestPrefix
      ? parseFrom(trimmed, object, trimmed.slice(0, object))
      : undefined)
  );
}

function parseFrom(text: string, start: number, prefix: string): JsonInside | undefined {
  const value = parseJson(text.slice(start));
  return typeof value === "object" && value !== null ? { prefix, value } : undefined;
}
/** The content of an error response. All of it is the server's own text and must be sanitized before it is shown. */
export interface ErrorBody {
  readonly code?: string;
  readonly message?: string;
  readonly requestId?: string;
  /** Title of an HTML page, which means that a proxy or a website responded instead of the service. */
  readonly pageTitle?: string;
}
