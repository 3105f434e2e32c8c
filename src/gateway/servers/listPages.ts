import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import type { FieldMapping, ListPaging } from "../../core/servers/fieldMapping.ts";
import { parseExactJson } from "./exactJson.ts";
import { findList, isListEnd, nextEntry, skipSpace, valueEnd } from "./jsonSpans.ts";
import { findNextPage } from "./nextPage.ts";
import { readPieces } from "./readServerList.ts";
import { inSlices } from "./serverListReader.ts";

/** One response of the list. */
export interface PageResponse {
  /** Without credentials. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** All pages as one response, in which the list is at the same location as in each page. */
interface JoinedPages {
  readonly text: string;
  readonly count: number;
  /** Why the list ends before its last page, as a sentence; undefined if it is complete. */
  readonly incomplete?: string;
}

/** The bounds of a list that is received in pages: what exceeds them isn't requested. */
const pagingLimits = {
  pages: 200,
  /** Servers of all pages. */
  rows: 50_000,
  bytes: 256 * 1024 * 1024,
  milliseconds: 60_000,
};

interface FollowOptions {
  readonly mapping: FieldMapping;
  readonly paging: ListPaging | undefined;
  readonly signal: AbortSignal;
  /** Milliseconds of any clock that is never set. */
  now(): number;
  /** Requests another page with a new signature. Rejects with a ServiceError. */
  request(url: URL): Promise<PageResponse>;
}

/**
 * Requests the pages that follow the first one, if the responses identify them. What was received before a failure or a
 * limit is kept. Undefined if the first page is all there is, or its list isn't in one piece.
 */
export async function followPages(
  first: PageResponse,
  options: FollowOptions,
): Promise<JoinedPages | undefined> {
  const { mapping, paging, signal, now, request } = options;
  const fields = await inSlices(listFields(first.text, mapping), signal);
  const firstList = fields === undefined ? undefined : await inSlices(cutPage(first.text, fields), signal);
  if (fields === undefined || firstList === undefined) return undefined;
  const until = now() + pagingLimits.milliseconds;
  const entries = [...firstList.entries];
  const known = new Set(entries);
  const requested = new Set([first.url.href]);
  let [page, list] = [first, firstList];
  let bytes = first.text.length;
  let incomplete: string | undefined;
  for (let index = 0; ; index++) {
    const { url, headers } = page;
    const read = {
      url,
      headers,
      envelope: list.envelope,
      count: list.entries.length,
      countSoFar: entries.length,
      index,
    };
    const next = findNextPage(read, paging);
    if (next === undefined) break;
    incomplete =
      refuse(next, requested) ?? exceeded({ index, rows: entries.length, bytes, isLate: now() > until });
    if (incomplete !== undefined || next === "otherOrigin") break;
    requested.add(next.href);
    try {
      page = await request(next);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      incomplete = t("Page {0} couldn't be read: {1}", String(index + 2), error.message);
      break;
    }
    const nextList = await inSlices(cutPage(page.text, fields), signal);
    if (nextList === undefined) {
      incomplete = t("Page {0} doesn't contain a list like the first page.", String(index + 2));
      break;
    }
    list = nextList;
    bytes += page.text.length;
    // Servers may have moved to this page in the meantime. Within a page, each entry is a separate server.
    const added = list.entries.filter((entry) => !known.has(entry));
    for (const entry of added) {
      entries.push(entry);
      known.add(entry);
    }
    if (added.length > 0) continue;
    // A count of pages ends with an empty one; the same servers again mean that the parameter is ignored.
    if (list.entries.length > 0)
      incomplete = t("The gateway returned the same servers again for page {0}.", String(index + 2));
    break;
  }
  if (requested.size === 1 && incomplete === undefined) return undefined;
  const text = wrap(fields, `[${entries.join(",")}]`);
  return { text, count: entries.length, ...(incomplete === undefined ? {} : { incomplete }) };
}

function refuse(next: URL | "otherOrigin", requested: ReadonlySet<string>): string | undefined {
  if (next === "otherOrigin") {
    return t("The next page is at another address, where the credential isn't sent.");
  }
  return requested.has(next.href) ? t("The next page has already been read.") : undefined;
}

function exceeded({
  index,
  rows,
  bytes,
  isLate,
}: {
  readonly index: number;
  readonly rows: number;
  readonly bytes: number;
  readonly isLate: boolean;
}): string | undefined {
  if (index + 1 >= pagingLimits.pages)
    return t("Only the first {0} pages are read.", String(pagingLimits.pages));
  if (rows >= pagingLimits.rows)
    return t("Only the first {0} servers are read.", formatNumber(pagingLimits.rows));
  if (bytes >= pagingLimits.bytes)
    return t("Only the first {0} MB are read.", String(Math.round(pagingLimits.bytes / 1024 / 1024)));
  return isLate
    ? t("Reading the pages took more than {0} s.", String(Math.round(pagingLimits.milliseconds / 1_000)))
    : undefined;
}

/** The fields that lead to the list, if it is in one piece. */
function* listFields(
  text: string,
  mapping: FieldMapping,
): Generator<undefined, readonly string[] | undefined> {
  const { list, steps } = yield* readPieces(text, mapping);
  const isMapped = steps.length === 0 && list.path !== "";
  if (isMapped) return /^[\w-]+(?:\.[\w-]+)*$/.test(list.path) ? list.path.split(".") : undefined;
  const names = steps.flatMap((step) => ("field" in step ? [step.field] : []));
  const isDirect = steps.length === 0 || names.length === steps.length - 1;
  return isDirect ? names : undefined;
}

interface CutPage {
  /** The text of each entry. */
  readonly entries: readonly string[];
  readonly envelope: unknown;
}

/** Number of entries that are found without a break. */
const entriesPerPiece = 100;

/** Undefined if there is no list at this location. */
function* cutPage(text: string, fields: readonly string[]): Generator<undefined, CutPage | undefined> {
  try {
    const start = findList(text, fields);
    if (start === undefined) return undefined;
    const entries: string[] = [];
    let at = skipSpace(text, start + 1);
    while (!isListEnd(text, at)) {
      const end = valueEnd(text, at);
      const next = nextEntry(text, end);
      if (next === undefined) return undefined;
      if (entries.push(text.slice(at, end)) % entriesPerPiece === 0) yield;
      at = next;
    }
    return { entries, envelope: parseExactJson(`${text.slice(0, start)}[]${text.slice(at + 1)}`) };
  } catch {
    return undefined;
  }
}

function wrap(fields: readonly string[], list: string): string {
  return fields.reduceRight((inner, field) => `{${JSON.stringify(field)}:${inner}}`, list);
}
