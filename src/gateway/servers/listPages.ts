import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ListPaging } from "../../core/servers/fieldMapping.ts";
import type { ListExtent } from "../../core/servers/server.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { readFieldFact } from "./fieldFacts.ts";
import type { Entry, ListPage } from "./listPath.ts";
import { readPageEnd } from "./paging.ts";
import type { PageEnd, PageWay } from "./paging.ts";
import { RecordView } from "./recordView.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/** One response of the list. */
export interface PageResponse {
  /** Without credentials. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Number of characters. */
  readonly length: number;
  readonly page: ListPage;
}

/** The entries of all pages, and what is known about those that weren't read. */
interface AllPages {
  readonly entries: readonly Entry[];
  readonly extent: ListExtent;
}

/** The bounds of a list that is received in pages: what exceeds them isn't requested. */
const pagingLimits = {
  pages: 200,
  bytes: 256 * 1024 * 1024,
  milliseconds: 60_000,
};
/** Requests for one page by different parameters. */
const mostWays = 12;

/** The parameter that requested the further pages of a gateway; null if none of the usual ones did. */
export interface PageMemory {
  parameter?: string | null;
}

interface FollowOptions {
  readonly paging: ListPaging | undefined;
  readonly memory: PageMemory;
  readonly signal: AbortSignal;
  /** Requests another page with a new signature. Rejects with a ServiceError. */
  request(url: URL): Promise<PageResponse>;
}

/**
 * Requests the pages that follow the first one, and joins them. What was received before a failure or a limit is kept.
 */
export async function followPages(first: PageResponse, options: FollowOptions): Promise<AllPages> {
  const { paging } = options;
  const until = performance.now() + pagingLimits.milliseconds;
  const servers = new JoinedEntries();
  servers.add(first.page.entries);
  const requested = new Set([first.url.href]);
  let current = first;
  let length = first.length;
  for (let index = 0; ; index++) {
    const { url, headers, page } = current;
    const { document, steps, entries } = page;
    const place = { url, headers, document, steps, count: entries.length, countSoFar: servers.rows, index };
    const end = readPageEnd({ ...place, lastId: idOf(entries.at(-1)) }, paging);
    if (end.state !== "next") return { entries: servers.all, extent: extentOf(end) };
    const refused =
      exceeded(index, length, performance.now() > until) ??
      (end.ways.every((way) => requested.has(way.url.href))
        ? t("The next page has already been read.")
        : undefined);
    const next = refused ?? (await readNext(end, index + 2, requested, servers, options));
    if (next === "end") return { entries: servers.all, extent: {} };
    if (typeof next === "string") return { entries: servers.all, extent: extentOf(end, next) };
    current = next;
    length += next.length;
  }
}

/** The servers of the pages so far. One that was on two pages, because it moved or changed, is one server. */
class JoinedEntries {
  readonly all: Entry[] = [];
  /** Rows of all pages, including those of servers that were on two of them. */
  rows = 0;
  readonly #places = new Map<string, number>();

  /** Whether none of these servers was on an earlier page. */
  hasNew(entries: readonly Entry[]): boolean {
    return entries.some((entry) => !this.#places.has(identityOf(entry)));
  }

  /** Within a page, each entry is a separate server. */
  add(entries: readonly Entry[]): void {
    const added: [string, number][] = [];
    for (const entry of entries) {
      const identity = identityOf(entry);
      const place = this.#places.get(identity);
      if (place === undefined) added.push([identity, this.all.push(entry) - 1]);
      else this.all[place] = entry;
    }
    for (const [identity, place] of added) this.#places.set(identity, place);
    this.rows += entries.length;
  }
}

function identityOf(entry: Entry): string {
  return idOf(entry) ?? JSON.stringify(entry);
}

function idOf(entry: Entry | undefined): string | undefined {
  return isRecord(entry?.value)
    ? (readFieldFact(new RecordView(entry.value), "id")?.value ?? entry.key)
    : entry?.key;
}

/**
 * The next page, requested in the first way that leads to other servers. `end` if there is none, or the reason why it
 * couldn't be read.
 */
async function readNext(
  end: PageEnd & { readonly state: "next" },
  number: number,
  requested: Set<string>,
  servers: JoinedEntries,
  { memory, signal, request }: FollowOptions,
): Promise<PageResponse | string> {
  let problem: string | undefined;
  for (const { url, parameter } of waysInOrder(end.ways, memory)) {
    if (requested.has(url.href)) continue;
    requested.add(url.href);
    let found: PageResponse;
    try {
      found = await request(url);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ServiceError)) throw error;
      problem = t("Page {0} couldn't be read: {1}", String(number), error.message);
      // Some servers refuse parameters that they don't know, and any other failure would be the same for all of them.
      if ([400, 404, 422].includes(error.statusCode ?? 0)) continue;
      return problem;
    }
    const { entries } = found.page;
    if (entries.length > 0 && !servers.hasNew(entries)) continue;
    memory.parameter = parameter;
    servers.add(entries);
    return found;
  }
  memory.parameter ??= null;
  if (problem !== undefined) return problem;
  if (end.isReached) return "end";
  return t(
    "The gateway returned the same servers again for page {0}. Set the parameter that requests a page in “inferenceGateway.servers.paging”.",
    String(number),
  );
}

/** If none of the usual parameters worked last time, only the most likely one is tried again. */
function waysInOrder(ways: readonly PageWay[], { parameter }: PageMemory): readonly PageWay[] {
  if (parameter === null) return ways.slice(0, 1);
  const known = ways.find((way) => way.parameter === parameter);
  return [...(known === undefined ? [] : [known]), ...ways].slice(0, mostWays);
}

/** What is known about servers beyond those that were read. */
export function extentOf(end: PageEnd, incomplete?: string): ListExtent {
  if (end.state === "complete") return {};
  const reason =
    end.state === "more" && end.isElsewhere
      ? t("The next page is at another address, where the credential isn't sent.")
      : incomplete;
  return filledFields({ hasMore: true, total: end.total, incomplete: reason });
}

function exceeded(index: number, length: number, isLate: boolean): string | undefined {
  if (index + 1 >= pagingLimits.pages)
    return t("Only the first {0} pages are read.", String(pagingLimits.pages));
  if (length >= pagingLimits.bytes)
    return t("Only the first {0} MB are read.", String(Math.round(pagingLimits.bytes / 1024 / 1024)));
  return isLate
    ? t("Reading the pages took more than {0} s.", String(Math.round(pagingLimits.milliseconds / 1_000)))
    : undefined;
}
