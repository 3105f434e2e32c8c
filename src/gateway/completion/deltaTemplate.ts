import type { CompletionChunk } from "./completionChunk.ts";
import { parseChunk } from "./completionChunk.ts";

/**
 * The chunks of a stream are mostly the same JSON text around another string. A template is that text, taken from a
 * chunk that was parsed: what matches it means exactly the same but for the string, so that it need not be parsed.
 */
export interface DeltaTemplate {
  /** Up to the opening quote of the string, included. */
  readonly prefix: string;
  /** From the closing quote of the string, included. */
  readonly suffix: string;
  readonly kind: "text" | "reasoning";
}

/** Stands in for the string while a template is checked; JSON says it as it is. */
const probe = "~delta~";
/** Longer chunks, in UTF-16 units, come seldom and cost more to learn from than to parse. */
const longestTaught = 16 * 1024;
/** Places of the string that are tried. */
const maxTries = 4;

/** Makes a template of a chunk that brought one string and nothing else; undefined where that can't be proven. */
export function learnDeltaTemplate(data: string, chunk: CompletionChunk): DeltaTemplate | undefined {
  const kind = onlyString(chunk);
  const text = kind === undefined ? undefined : chunk[kind];
  if (kind === undefined || text === undefined || data.length > longestTaught) return undefined;
  const literal = JSON.stringify(text);
  let start = data.indexOf(literal);
  for (let tries = 0; start !== -1 && tries < maxTries; tries++) {
    const prefix = data.slice(0, start + 1);
    const suffix = data.slice(start + literal.length - 1);
    if (isProven(`${prefix}${probe}${suffix}`, kind)) return { prefix, suffix, kind };
    start = data.indexOf(literal, start + 1);
  }
  return undefined;
}

/** Another string in the same place is the delta, and still the only thing that the chunk brings. */
function isProven(data: string, kind: DeltaTemplate["kind"]): boolean {
  try {
    const chunk = parseChunk(JSON.parse(data));
    return chunk !== undefined && onlyString(chunk) === kind && chunk[kind] === probe;
  } catch {
    return false;
  }
}

function onlyString(chunk: CompletionChunk): DeltaTemplate["kind"] | undefined {
  const names = Object.keys(chunk).filter((name) => name !== "reasoningNames");
  if (names.length !== 2 || chunk.hasChoice === undefined) return undefined;
  if (chunk.text !== undefined) return "text";
  return chunk.reasoning === undefined ? undefined : "reasoning";
}
