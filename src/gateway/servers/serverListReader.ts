import { setImmediate as nextTurn } from "node:timers/promises";
import type { Server, ServerList } from "../../core/servers/server.ts";
import type { FieldMapping } from "../../core/servers/fieldMapping.ts";
import { parseExactJson } from "./exactJson.ts";
import type { Span } from "./jsonSpans.ts";
import { findList, isListEnd, nextEntry, skipSpace, valueEnd } from "./jsonSpans.ts";
import type { PathStep } from "./listExtent.ts";
import { readExtent, entriesAt } from "./listExtent.ts";
import { readServer } from "./readServer.ts";
import type { ReadList } from "./readServerList.ts";
import { readAtOnce, readPieces, recordsPerPiece, uniqueKey, wantedKey } from "./readServerList.ts";

/** The last parsed response, and the position of each of its servers. */
interface ListResult {
  readonly text: string;
  readonly mapping: string;
  readonly list: ServerList;
  readonly steps: readonly PathStep[];
  readonly fields: readonly string[];
  readonly spans: readonly Span[];
  /** The response without its list, reduced to names and types. If it changes, everything is parsed again. */
  readonly envelope: string;
}

interface Piece {
  readonly span: Span;
  /** The server that was parsed from the same text before. */
  readonly known: Server | undefined;
}

/** Milliseconds for which a list may be read before other work runs. */
const sliceMs = 8;
const maxEnvelope = 64 * 1024;
/** As long as fewer records than this have moved, parsing them again costs less than a search. */
const fewMissed = 0.05;

/**
 * Reads successive lists of one gateway. If a list hardly differs from the previous one, only the records whose text
 * has changed are parsed; the other servers are the same objects as before.
 */
export class ServerListReader {
  #last: ListResult | undefined;
  /** The last response if all of it was parsed. Its servers are located only when another response follows. */
  #parsed: { readonly text: string; readonly mapping: string; readonly all: ReadList } | undefined;

  /** Returns the same as `readServerList`, only faster. */
  read(text: string, mapping: FieldMapping = {}): ServerList {
    return readAtOnce(this.#read(text, mapping));
  }

  /** Reads the list without blocking the event loop for long. Rejects with the signal's reason. */
  async readInSlices(text: string, mapping: FieldMapping = {}, signal?: AbortSignal): Promise<ServerList> {
    return inSlices(this.#read(text, mapping), signal);
  }

  *#read(text: string, mapping: FieldMapping): Generator<undefined, ServerList> {
    const mappingText = JSON.stringify(mapping);
    const parsed = this.#parsed;
    if (parsed?.mapping === mappingText) {
      if (parsed.text === text) return parsed.all.list;
      this.#last = yield* locateAll(parsed.text, mappingText, parsed.all);
      this.#parsed = undefined;
    }
    const last = this.#last?.mapping === mappingText ? this.#last : undefined;
    if (last !== undefined && last.text === text) return last.list;
    const again = last === undefined ? undefined : readChanges(last, text, mapping);
    if (again !== undefined) {
      this.#last = again;
      return again.list;
    }
    const all = yield* readPieces(text, mapping);
    this.#last = undefined;
    this.#parsed = { text, mapping: mappingText, all };
    return all.list;
  }
}

/** The result of work in small pieces, without blocking the event loop for long. Rejects with the signal's reason. */
export async function inSlices<Result>(
  pieces: Generator<undefined, Result>,
  signal?: AbortSignal,
): Promise<Result> {
  let until = performance.now() + sliceMs;
  for (;;) {
    const { done, value } = pieces.next();
    if (done === true) return value;
    if (performance.now() < until) continue;
    await nextTurn();
    signal?.throwIfAborted();
    until = performance.now() + sliceMs;
  }
}

/** Undefined for lists that aren't contiguous in the response, which are always parsed completely. */
function* locateAll(
  text: string,
  mapping: string,
  { list, steps }: ReadList,
): Generator<undefined, ListResult | undefined> {
  const fields = fieldsOf(steps);
  const start = fields === undefined ? undefined : findList(text, fields);
  if (fields === undefined || start === undefined) return undefined;
  const spans: Span[] = [];
  let at = skipSpace(text, start + 1);
  while (!isListEnd(text, at)) {
    const end = valueEnd(text, at);
    spans.push({ start: at, end });
    const next = nextEntry(text, end);
    if (next === undefined) return undefined;
    at = next;
    if (spans.length % recordsPerPiece === 0) yield;
  }
  const envelope = readEnvelope(text, start, at);
  if (spans.length !== list.servers.length || envelope === undefined) return undefined;
  return { text, mapping, list, steps, fields, spans, envelope: envelope.shape };
}

/** The field names on a path that leads directly to a single list. */
function fieldsOf(steps: readonly PathStep[]): readonly string[] | undefined {
  const last = steps.at(-1);
  if (last === undefined || !("each" in last) || last.each !== "list") return undefined;
  const fields = steps.slice(0, -1).flatMap((step) => ("field" in step ? [step.field] : []));
  return fields.length === steps.length - 1 ? fields : undefined;
}

/** Undefined if the structure of the response has changed. */
function readChanges(last: ListResult, text: string, mapping: FieldMapping): ListResult | undefined {
  const start = findList(text, last.fields);
  if (start === undefined) return undefined;
  const compared = comparePieces(last, text, skipSpace(text, start + 1));
  if (compared === undefined || compared.pieces.length === 0) return undefined;
  const { pieces, end } = compared;
  const envelope = readEnvelope(text, start, end);
  if (envelope?.shape !== last.envelope || entriesAt(envelope.value, last.steps).length > 0) return undefined;
  const servers = parsePieces(text, pieces, mapping);
  if (servers === undefined) return undefined;
  const extent = readExtent(envelope.value, last.steps, servers.length);
  const list = { servers, path: last.list.path, ...extent };
  return { ...last, text, list, spans: pieces.map(({ span }) => span) };
}

/**
 * Pairs each entry with the previous one at its position, at an adjacent position, or somewhere else. Undefined if the
 * text isn't JSON.
 */
function comparePieces(
  last: ListResult,
  text: string,
  start: number,
): { readonly pieces: readonly Piece[]; readonly end: number } | undefined {
  const { text: before, spans, list } = last;
  const findMoved = createMovedSearch(last);
  const pieces: Piece[] = [];
  let at = start;
  let expected = 0;
  while (!isListEnd(text, at)) {
    const isInPlace = isSame(before, spans[expected], text, at);
    const near = isInPlace
      ? expected
      : [expected + 1, expected - 1].find((index) => isSame(before, spans[index], text, at));
    const old = near === undefined ? undefined : spans[near];
    const end = old === undefined ? valueEnd(text, at) : at + old.end - old.start;
    const found = near ?? findMoved(text.slice(at, end));
    pieces.push({ span: { start: at, end }, known: found === undefined ? undefined : list.servers[found] });
    expected = (found ?? expected) + 1;
    const next = end === at ? undefined : nextEntry(text, end);
    if (next === undefined) return undefined;
    at = next;
  }
  return { pieces, end: at };
}

/**
 * Finds the previous position of an entry in a list whose order changes each time. A few changed records cost less than
 * a table of all, so the table is only created when it is needed.
 */
function createMovedSearch({ text, spans }: ListResult): (entry: string) => number | undefined {
  let table: ReadonlyMap<string, number> | undefined;
  let missed = 0;
  return (entry) => {
    if (++missed <= spans.length * fewMissed) return undefined;
    table ??= new Map(spans.map(({ start, end }, index) => [text.slice(start, end), index]));
    return table.get(entry);
  };
}

/** Whether the same text is here as a whole entry. Comparing two slices is many times faster than `startsWith`. */
function isSame(before: string, span: Span | undefined, text: string, at: number): boolean {
  if (span === undefined) return false;
  if (text.slice(at, at + span.end - span.start) !== before.slice(span.start, span.end)) return false;
  const next = text.charAt(skipSpace(text, at + span.end - span.start));
  return next === "," || next === "]";
}

/** Undefined if an entry isn't valid JSON. Parsing the whole text then reports the error. */
function parsePieces(
  text: string,
  pieces: readonly Piece[],
  mapping: FieldMapping,
): readonly Server[] | undefined {
  const used = new Set<string>();
  try {
    return pieces.map(({ span, known }, index) => {
      const key = known === undefined ? undefined : uniqueKey(wantedKey(known, index), used);
      if (known !== undefined && key === known.key) return known;
      const entry = known === undefined ? parseExactJson(text.slice(span.start, span.end)) : known.record;
      const server = readServer(entry, undefined, mapping);
      server.key = key ?? uniqueKey(wantedKey(server, index), used);
      return server;
    });
  } catch {
    return undefined;
  }
}

/** The text around the list, which begins at `start` and whose closing bracket is at `end`. */
function readEnvelope(
  text: string,
  start: number,
  end: number,
): { readonly value: unknown; readonly shape: string } | undefined {
  if (start + text.length - end > maxEnvelope) return undefined;
  try {
    const value = parseExactJson(`${text.slice(0, start)}[]${text.slice(end + 1)}`);
    const shape = JSON.stringify(value, (_name, inner: unknown) =>
      typeof inner === "object" && inner !== null ? inner : typeof inner,
    );
    return { value, shape };
  } catch {
    return undefined;
  }
}
