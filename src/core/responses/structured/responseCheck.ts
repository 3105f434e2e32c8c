import { messageOf } from "../../kernel/thrown.ts";
/** One location at which a value violates its schema. */
export interface SchemaProblem {
  /** JSON pointer into the value; empty for the value itself. */
  readonly path: string;
  /** A sentence without its period. */
  readonly message: string;
}

/** The result of checking a response that must be JSON. */
export type ResponseCheck =
  | { readonly state: "valid"; readonly hasSchema: boolean }
  /** `more`: number of problems omitted from the list. */
  | { readonly state: "invalid"; readonly problems: readonly SchemaProblem[]; readonly more: number }
  | { readonly state: "notJson"; readonly message: string }
  /** The schema itself is the problem: it can't be compiled, or validation doesn't finish. */
  | { readonly state: "unchecked"; readonly message: string };

/** A problem that a validator found, before it is described in words. */
export interface RawProblem {
  readonly path: string;
  /** A keyword of JSON Schema, such as `required`. */
  readonly keyword: string;
  /** What the value violates: the field name, the limit, or the allowed values. */
  readonly detail: string;
  /** The validator's own English description. */
  readonly message: string;
}

/** The result of a validation. */
export type SchemaVerdict =
  | { readonly state: "valid" }
  /** Valid except for a pattern that can't be checked, because only other languages have its syntax. */
  | { readonly state: "partlyValid"; readonly pattern: string }
  | { readonly state: "invalid"; readonly problems: readonly RawProblem[]; readonly more: number }
  | { readonly state: "badSchema"; readonly message: string }
  | { readonly state: "tooLong" };

/** Port: a JSON Schema validator. Never rejects. */
export interface SchemaValidator {
  /** `json` is the text of the value; undefined checks the schema alone. */
  validate(schema: unknown, json: string | undefined): Promise<SchemaVerdict>;
}

/** The JSON of a response, or why there is none. */
type ResponseJson =
  | { readonly state: "json"; readonly value: unknown; readonly json: string }
  | { readonly state: "notJson"; readonly message: string };

/**
 * Finds the JSON in a response that should contain nothing else: models like to put it into a code fence or to add a
 * sentence around it. `message` is the parser's own, for the whole text.
 */
export function responseJson(text: string): ResponseJson {
  const whole = parse(text);
  if (whole.state === "json") return whole;
  for (const block of fencedBlocks(text)) {
    const inside = parse(block);
    if (inside.state === "json") return inside;
  }
  return whole;
}

function parse(text: string): ResponseJson {
  const json = text.trim();
  try {
    const value: unknown = JSON.parse(json);
    return { state: "json", value, json };
  } catch (error) {
    return { state: "notJson", message: messageOf(error) };
  }
}

/** The content of fenced blocks, line by line; the last fence may be missing if the response was truncated. */
function fencedBlocks(text: string): readonly string[] {
  const blocks: string[] = [];
  let open: { readonly fence: string; readonly lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const fence = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) {
      if (fence !== undefined) open = { fence, lines: [] };
    } else if (fence?.startsWith(open.fence) && line.trim() === fence) {
      blocks.push(open.lines.join("\n"));
      open = undefined;
    } else {
      open.lines.push(line);
    }
  }
  if (open !== undefined) blocks.push(open.lines.join("\n"));
  return blocks;
}
