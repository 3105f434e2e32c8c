import { isRecord } from "../../core/kernel/json.ts";
import type { Server, ServerList } from "../../core/servers/server.ts";
import type { FieldMapping } from "../../core/servers/fieldMapping.ts";
import { followPath } from "./dottedPath.ts";
import { parseExactJson } from "./exactJson.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import { findServerList } from "./findServerList.ts";
import { serverListScore } from "./serverListScore.ts";
import { createListError, createShapeError, createTextError, isErrorEnvelope } from "./listError.ts";
import { entriesAt, pathText } from "./listPath.ts";
import type { Entry, Step } from "./listPath.ts";
import { readExtent } from "./listExtent.ts";
import { readServerFacts } from "./readServer.ts";

interface FoundList {
  readonly entries: readonly Entry[];
  readonly path: string;
  readonly steps: readonly Step[];
}

/**
 * Reads the reply of `GET /gpu/api/v1/servers` (interface section 4.2: "shape not shown"), whatever its envelope and
 * its fields are. No entry is dropped: what can't be understood is a server with an unknown state. Throws a
 * ServiceError: `malformed` for anything that isn't a list, and the reason of its code for an error with status 200.
 */
export function readServerList(text: string, mapping: FieldMapping = {}): ServerList {
  return readWithSteps(text, mapping).list;
}

/** The same, with the way to the list; empty if the user's mapping led there. */
export function readWithSteps(
  text: string,
  mapping: FieldMapping,
): { readonly list: ServerList; readonly steps: readonly Step[] } {
  const document = parse(text);
  const list = mappedList(document, mapping) ?? foundList(document);
  if ((list === undefined || list.entries.length === 0) && isErrorEnvelope(document)) {
    throw createListError(document, text);
  }
  if (list === undefined) throw createShapeError();
  const servers = withKeys(list.entries, mapping);
  const { path, steps } = list;
  return { list: { servers, path, ...readExtent(document, steps, servers.length) }, steps };
}

function parse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch (error) {
    throw createTextError(text, error);
  }
}

/** The list at the user's path; undefined if the mapping names none or nothing is there. */
function mappedList(document: unknown, mapping: FieldMapping): FoundList | undefined {
  for (const path of mapping.list ?? []) {
    const locations = followPath(document, path);
    if (locations.length === 0) continue;
    const entries = locations.flatMap(({ value }) => entriesOf(value, locations.length > 1));
    return { entries, path, steps: [] };
  }
  return undefined;
}

/** A list's items, a map's entries; what several places hold is one entry each unless it is a list. */
function entriesOf(value: unknown, isOneOfMany: boolean): readonly Entry[] {
  if (Array.isArray(value)) return value.map((item: unknown) => ({ value: item }));
  if (!isRecord(value) || isOneOfMany) return [{ value }];
  return Object.entries(value).map(([key, item]) => ({ value: item, key }));
}

function foundList(document: unknown): FoundList | undefined {
  const candidate = findServerList(document);
  if (candidate !== undefined) {
    const { steps } = candidate;
    return { entries: candidate.isEmpty ? [] : entriesAt(document, steps), path: pathText(steps), steps };
  }
  if (document === null) return { entries: [], path: "", steps: [] };
  if (!isRecord(document)) return undefined;
  const { score, isStrong } = serverListScore([document]);
  if (isStrong && score >= 6 && !isErrorEnvelope(document)) {
    return { entries: [{ value: document }], path: "", steps: [] };
  }
  return isEmptyEnvelope(document) ? { entries: [], path: "", steps: [] } : undefined;
}

/** Some services leave an empty list out of its envelope: a kind, a count of 0, links to other pages remain. */
function isEmptyEnvelope(document: Readonly<Record<string, unknown>>): boolean {
  const fields = Object.entries(document).map(([name, value]) => [fieldName(name), value] as const);
  const [only] = fields;
  if (fields.length === 1 && isRecord(only?.[1])) return isEmptyEnvelope(only[1]);
  return fields.some(
    ([name, value]) =>
      (name === "kind" && typeof value === "string" && /list$/i.test(value)) ||
      (/^(?:total|totalcount|count|totalsize|size|numfound)$/.test(name) && Number(value) === 0) ||
      /^next(?:page)?(?:token|cursor|link)?$|^selflink$|^pagination$|^requestid$/.test(name),
  );
}

/** Keys are the ids; a second server of the same id gets `#2`, so that every row has a key of its own. */
function withKeys(entries: readonly Entry[], mapping: FieldMapping): readonly Server[] {
  const used = new Set<string>();
  return entries.map(({ value, key }, index) => {
    const facts = readServerFacts(value, key, mapping);
    return { key: uniqueKey(wantedKey(facts, index), used), ...facts };
  });
}

/** The key of a server at this place of its list, as long as no other has it. */
export function wantedKey({ id, name }: Pick<Server, "id" | "name">, index: number): string {
  return id?.value ?? (name === undefined ? `#${index + 1}` : `name:${name.value}`);
}

/** The key, or with the next free number; it counts as used then. */
export function uniqueKey(wanted: string, used: Set<string>): string {
  let key = wanted;
  for (let occurrence = 2; used.has(key); occurrence++) key = `${wanted}#${occurrence}`;
  used.add(key);
  return key;
}
