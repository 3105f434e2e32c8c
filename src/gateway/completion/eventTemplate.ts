import { isDeepStrictEqual } from "node:util";
import type { Usage } from "../../core/conversation/completion.ts";
import { parseChunk } from "./completionChunk.ts";
import type { CompletionChunk } from "./completionChunk.ts";
import { locateValues } from "./jsonNodes.ts";
import type { JsonNode } from "./jsonNodes.ts";
import type { ToolCallPiece } from "./toolCallPieces.ts";

/**
 * The chunks of a stream mostly consist of the same JSON text around different strings. A template is that text, taken
 * from a parsed chunk, with a gap for each value that may differ: a chunk that matches it is identical except for the
 * delta and the token counts, so it doesn't have to be parsed.
 */
export interface EventTemplate {
  readonly kind: "text" | "reasoning" | "toolCall";
  /** The text before the first gap. */
  readonly prefix: string;
  readonly gaps: readonly TemplateGap[];
  /** The tool call whose arguments contain the delta. */
  readonly toolCall: ToolCallPiece | undefined;
  /** Its token counts, except those in gaps. */
  readonly usage: Usage | undefined;
  readonly hasCounts: boolean;
}

/** A value that may differ from chunk to chunk. */
export interface TemplateGap {
  /** A delta is a string without its quotes, a count a natural number, and an unread value any JSON value. */
  readonly holds: "delta" | "count" | "unread";
  /** The fields that a count sets; none if another count takes precedence. */
  readonly names: readonly (keyof Usage)[];
  /** The text between this gap and the next one, or the end. */
  readonly suffix: string;
}

/** Longer chunks, in UTF-16 units, are rare and cost more to learn from than to parse. */
const longestTaught = 64 * 1024;
/** Number of strings that are tried as the delta, and of gaps: more of them make a template slow. */
const maxTries = 4;
const maxGaps = 24;
/** Gaps inside one unread value; one that differs in more places is a gap as a whole. */
const maxGapsInside = 20;
/** Maximum digits of a count. */
export const maxDigits = 15;
/** Replaces the delta while a template is checked; it needs no escapes in JSON. */
const probe = "~delta~";
/** Replaces a count while a template is checked, plus the index of its gap. */
const probeCount = 700_001;

/** Learns templates from the chunks of one stream, and which values differ from chunk to chunk. */
export class TemplateLearner {
  /** The unread values and counts of the last chunk, by their path. */
  #values: ReadonlyMap<string, SeenValue> = new Map();
  readonly #varying = new Set<string>();

  /** A template of a chunk that contains one string and perhaps counts; undefined if that can't be proven. */
  learn(data: string, chunk: CompletionChunk): EventTemplate | undefined {
    const kind = kindOf(chunk);
    if (kind === undefined || data.length > longestTaught) return undefined;
    const places = findPlaces(data);
    if (places === undefined) return undefined;
    const gaps = this.#findGaps(data, places);
    if (gaps.length >= maxGaps) return undefined;
    const delta = deltaOf(chunk, kind) ?? "";
    const isDelta = ({ holds, node: { start, end } }: Place): boolean =>
      holds === "delta" && end - start > delta.length && JSON.parse(data.slice(start, end)) === delta;
    for (const place of places.filter(isDelta).slice(0, maxTries)) {
      const sorted = [...gaps, place].toSorted((a, b) => a.node.start - b.node.start);
      const template = prove(data, chunk, kind, sorted);
      if (template !== undefined) return template;
    }
    return undefined;
  }

  #findGaps(data: string, places: readonly Place[]): readonly Place[] {
    const values = new Map<string, SeenValue>();
    const gaps = places.flatMap((place) => {
      if (place.holds === "delta") return [];
      const inside = this.#varyingPlaces(data, place, values);
      if (inside.length <= maxGapsInside) return inside;
      this.#varying.add(place.path);
      return [place];
    });
    this.#values = values;
    return gaps;
  }

  /**
   * The place if its value differs from the last chunk's, or the places inside it if the values have the same shape:
   * what stays the same, such as names, is quickly compared, and everything in a gap is read one character at a time.
   */
  #varyingPlaces(data: string, place: Place, values: Map<string, SeenValue>): readonly Place[] {
    const { path, node, holds } = place;
    if (this.#varying.has(path)) return [place];
    const value = { text: data.slice(node.start, node.end), names: [...node.members.keys()] };
    const before = this.#values.get(path);
    values.set(path, value);
    const isSame = before === undefined || before.text === value.text;
    if (!isSame && (node.members.size === 0 || !isDeepStrictEqual(before.names, value.names))) {
      this.#varying.add(path);
      return [place];
    }
    return [...node.members].flatMap(([name, member]) =>
      this.#varyingPlaces(data, { path: `${path}/${JSON.stringify(name)}`, holds, node: member }, values),
    );
  }
}

interface SeenValue {
  readonly text: string;
  /** The names or indexes of the values inside it. */
  readonly names: readonly string[];
}

/** A value that may become a gap. */
interface Place {
  /** The names and indexes that lead to it. */
  readonly path: string;
  readonly holds: TemplateGap["holds"];
  readonly node: JsonNode;
}

const knownMembers: ReadonlySet<string> = new Set([
  "hasChoice",
  "text",
  "reasoning",
  "reasoningNames",
  "toolCalls",
  "usage",
]);

/** The kind of the chunk's only string; undefined if there is more in it than that and token counts. */
function kindOf(chunk: CompletionChunk): EventTemplate["kind"] | undefined {
  const { text, reasoning, toolCalls } = chunk;
  if (chunk.hasChoice === undefined || !Object.keys(chunk).every((name) => knownMembers.has(name)))
    return undefined;
  const [call] = toolCalls ?? [];
  const found = [text !== undefined, reasoning !== undefined, call !== undefined].filter(Boolean);
  if (found.length !== 1 || (toolCalls !== undefined && toolCalls.length !== 1)) return undefined;
  if (call !== undefined) return call.extra === undefined && call.arguments !== "" ? "toolCall" : undefined;
  return text === undefined ? "reasoning" : "text";
}

function deltaOf(chunk: CompletionChunk, kind: EventTemplate["kind"]): string | undefined {
  return kind === "toolCall" ? chunk.toolCalls?.[0]?.arguments : chunk[kind];
}

/**
 * Finds the strings, the counts and the unread values. `parseChunk` is observed while it reads the chunk: values that
 * it didn't look at can't change its result.
 */
function findPlaces(data: string): readonly Place[] | undefined {
  const root = locateValues(data);
  if (root === undefined) return undefined;
  const read = new Set<JsonNode>([root]);
  parseChunk(watch(JSON.parse(data), root, read));
  const places: Place[] = [];
  collectPlaces(data, { node: root, path: "", isInUsage: false }, read, places);
  return places;
}

/** Wraps the value so that `read` collects everything that is looked at. */
function watch(value: unknown, node: JsonNode, read: Set<JsonNode>): unknown {
  if (typeof value !== "object" || value === null) return value;
  const look = (name: string | symbol): JsonNode | undefined => {
    const member = typeof name === "string" ? node.members.get(name) : undefined;
    if (member !== undefined) read.add(member);
    return member;
  };
  return new Proxy(value, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      const member = look(name);
      return member === undefined ? found : watch(found, member, read);
    },
    getOwnPropertyDescriptor(target, name) {
      look(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
}

interface Visited {
  readonly node: JsonNode;
  readonly path: string;
  readonly isInUsage: boolean;
}

function collectPlaces(data: string, visited: Visited, read: ReadonlySet<JsonNode>, places: Place[]): void {
  const { node, path, isInUsage } = visited;
  if (!read.has(node)) {
    places.push({ path, holds: "unread", node });
    return;
  }
  if (data[node.start] === '"') places.push({ path, holds: "delta", node });
  else if (isInUsage && isCount(data, node)) places.push({ path, holds: "count", node });
  for (const [name, member] of node.members) {
    const isUsage = isInUsage || name === "usage";
    collectPlaces(
      data,
      { node: member, path: `${path}/${JSON.stringify(name)}`, isInUsage: isUsage },
      read,
      places,
    );
  }
}

/** A natural number in the notation of JSON that is small enough to be exact. */
function isCount(data: string, { start, end }: JsonNode): boolean {
  return end - start <= maxDigits && /^(?:0|[1-9]\d*)$/.test(data.slice(start, end));
}

/** The template with these gaps, if different values in them change the delta and the counts and nothing else. */
function prove(
  data: string,
  chunk: CompletionChunk,
  kind: EventTemplate["kind"],
  places: readonly Place[],
): EventTemplate | undefined {
  const spans = places.map(({ holds, node: { start, end } }) =>
    holds === "delta" ? { start: start + 1, end: end - 1 } : { start, end },
  );
  const between = spans.map(({ end }, index) => data.slice(end, spans[index + 1]?.start));
  const prefix = data.slice(0, spans[0]?.start);
  const probes = { delta: () => probe, unread: () => '["~"]', count: (index: number) => probeCount + index };
  const values = places.map(({ holds }, index) => probes[holds](index));
  const other = values.reduce<string>((text, value, index) => `${text}${value}${between[index]}`, prefix);
  const parsed = parseChunk(JSON.parse(other)) ?? {};
  const gaps = places.map(({ holds }, index) => ({
    holds,
    names: namesOf(parsed.usage).filter(
      (name) => holds === "count" && parsed.usage?.[name] === probeCount + index,
    ),
    suffix: between[index] ?? "",
  }));
  const counted = new Set(gaps.flatMap(({ names }) => names));
  const fixed = namesOf(chunk.usage).filter((name) => !counted.has(name));
  const expected = withoutVarying(chunk, kind, fixed);
  if (deltaOf(parsed, kind) !== probe || !isDeepStrictEqual(withoutVarying(parsed, kind, fixed), expected))
    return undefined;
  const { usage } = expected;
  const hasCounts = usage !== undefined || counted.size > 0;
  return { kind, prefix, gaps, toolCall: chunk.toolCalls?.[0], usage, hasCounts };
}

/** The chunk without the delta and without all counts except `fixed`. */
function withoutVarying(
  { usage, ...chunk }: CompletionChunk,
  kind: EventTemplate["kind"],
  fixed: readonly (keyof Usage)[],
): CompletionChunk {
  const counts = usage && Object.fromEntries(fixed.map((name) => [name, usage[name]]));
  const toolCalls = (chunk.toolCalls ?? []).map((call) => ({ ...call, arguments: "" }));
  return {
    ...chunk,
    ...(kind === "toolCall" ? { toolCalls } : { [kind]: "" }),
    ...(counts === undefined ? {} : { usage: counts }),
  };
}

function namesOf(usage: Usage = {}): readonly (keyof Usage)[] {
  return Object.keys(usage) as (keyof Usage)[];
}
