import { credentialNames } from "../../core/account/credentialPlaces.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import type { ListPaging } from "../../core/servers/fieldMapping.ts";
import { followPath } from "./listPath.ts";
import type { PathStep } from "./listPath.ts";
import { countOf, scalarText } from "./recordView.ts";

/** A page of the list, and how far the list has been read, including this page. */
interface ReadPage {
  /** The URL that was requested, without credentials. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly document: unknown;
  /** The path to the list in the document. */
  readonly steps: readonly PathStep[];
  /** The number of entries on this page, and on all pages so far. */
  readonly count: number;
  readonly countSoFar: number;
  /** Counted from 0. */
  readonly index: number;
  /** The ID of the last server on this page. */
  readonly lastId?: string | undefined;
}

/** What follows a page. */
export type PageEnd =
  | { readonly state: "complete" }
  | {
      readonly state: "next";
      /** Requests for the next page, without credentials: how it is usually requested comes first. */
      readonly ways: readonly PageWay[];
      /** Whether as many servers were read as there are, so that this may be the last page. */
      readonly isReached: boolean;
      readonly total?: number;
    }
  /** There are more, but it isn't known how to request them, or they are at an origin without the credential. */
  | { readonly state: "more"; readonly isElsewhere: boolean; readonly total?: number };

/** A request for the next page. */
export interface PageWay {
  readonly url: URL;
  /** The parameter with the position; empty if the response contains the whole URL. */
  readonly parameter: string;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

/** Names of fields with the number of all servers. */
const totalNames = words(
  "total totalcount totalresults totalitems totalentries totalelements totalsize totalrecords totalnum totalservers " +
    "totalinstances totalhits totalrows totalrecord totalrow totalitem totalresult totalnumber totalobjects recordstotal " +
    "recordtotal rowstotal allcount count numfound numresults itemcount rowcount recordcount resultcount xtotalcount",
);
const remainingNames = words("remainingitemcount remaining remainingitems");
/** Names of fields with the number of pages. */
const pageCountNames = words(
  "totalpages totalpage pagecount pagescount numpages numberofpages lastpage pages pagetotal totalpagecount maxpage",
);
const moreNames = words(
  "hasmore hasmoreitems hasmoreresults hasmorepages hasmoredata hasnext hasnextpage hasadditional istruncated truncated " +
    "moreresults moreavailable moreitems ispartial partial incomplete incompleteresults moredata more",
);
const lastPageNames = words("islastpage islast lastpage last");
const pageNames = words("page pageno pagenum pagenumber pageindex currentpage current number");
const offsetNames = words("offset skip start startindex from");
const urlNames = words(
  "next nextlink nextlinks nexturl nexturi nexthref nextpage nextpageurl nextpagelink nextrecordsurl odatanextlink " +
    "atnextlink nextresults nextresult more",
);
/** Names of objects that describe pages. */
const wrapperNames = words(
  "meta metadata pagination paging paginator page pages pageinfo pager cursor cursors next listmeta resultinfo " +
    "responsemetadata result data response",
);

/** Parameters for a position of any name, by how often they are seen. */
const usual = "page_token next_token after_token cursor after starting_after marker continuation_token";
/**
 * Fields with a position to continue from, and the parameters that request it, the usual one first. They are written in
 * the style of the field.
 */
const positions: ReadonlyMap<string, readonly string[]> = new Map(
  (
    [
      ["nextpagetoken", `page_token next_page_token ${usual}`],
      ["nexttoken", `next_token after_token starting_token ${usual}`],
      ["aftertoken", `after_token ${usual}`],
      ["nextcursor nextpagecursor cursor", `cursor next_cursor ${usual}`],
      ["nextmarker nextpagemarker", `marker next_marker ${usual}`],
      ["nextoffset nextpageoffset", "offset start skip from"],
      ["nextstart nextpagestart nextindex", "start start_index offset skip"],
      ["nextkey nextpagekey", `key next_key start_key ${usual}`],
      ["nextid nextpageid", `start_id next_id after_id ${usual}`],
      ["nextcontinuationtoken continuationtoken", `continuation_token ${usual}`],
      ["continuation continue", `continue continuation ${usual}`],
      ["scrollid", "scroll_id scroll"],
      ["bookmark nextbookmark", "bookmark"],
      ["lastevaluatedkey", "exclusive_start_key last_evaluated_key last_key start_key"],
      ["endcursor aftercursor after nextafter", `after cursor end_cursor ${usual}`],
      ["nextpage nextpagenumber nextnumber", `page page_token page_number page_no next_page ${usual}`],
      ["next", `${usual} next page offset`],
    ] as const
  ).flatMap(([fields, parameters]) =>
    fields.split(" ").map((field) => [field, [...words(parameters)]] as const),
  ),
);
const pageParameters = ["page", "page_number", "page_no", "page_num", "page_index", "p", "current"];
const offsetParameters = ["offset", "skip", "start", "start_index", "from"];
const lastIdParameters = ["starting_after", "after", "after_id", "last_id", "marker", "cursor"];
/**
 * Whether the list continues after this page, and how. A position to continue from takes precedence over a count, which
 * may be that of the page.
 */
export function readPageEnd(page: ReadPage, paging?: ListPaging): PageEnd {
  const layers = layersOf(page);
  const numbers = readNumbers(page, layers);
  const total = numbers.total === undefined ? {} : { total: numbers.total };
  const isCertain = numbers.isMore || says(layers, moreNames, true);
  const isOver = saysNoMore(layers);
  const positioned = findPositions(page, isOver ? [] : layers);
  if (paging?.follow === false) {
    const isMore = isCertain || positioned.length > 0;
    return isMore ? { state: "more", isElsewhere: false, ...total } : { state: "complete" };
  }
  const set = paging?.parameter === undefined ? undefined : waysOfSetting(page, paging, paging.parameter);
  const isGuessed = set === undefined && positioned.length === 0 && isCertain && !isOver;
  const guesses = isGuessed ? guess(page, numbers.total !== undefined) : [];
  const found = set ?? [...positioned, ...(isOver ? [] : numbers.ways), ...guesses];
  const ways = found.filter((way) => way !== "otherOrigin");
  const { isReached } = numbers;
  if (ways.length > 0) return { state: "next", ways, isReached, ...total };
  if (found.length > 0) return { state: "more", isElsewhere: true, ...total };
  if (!isCertain || (isOver && !numbers.isMore)) return { state: "complete" };
  return { state: "more", isElsewhere: false, ...total };
}

type Fields = readonly (readonly [plain: string, value: unknown, name: string])[];
type Way = PageWay | "otherOrigin";

/** The objects around the list and those in them that describe pages, the nearest to the list first. */
function layersOf({ document, steps }: ReadPage): readonly Fields[] {
  const around: unknown[] = [document];
  let value = document;
  for (const step of steps) {
    if (!("field" in step) || !isRecord(value)) break;
    value = value[step.field];
    around.push(value);
  }
  const listed = new Set(around);
  return around.toReversed().flatMap((each) => (isRecord(each) ? layersIn(each, listed, 0) : []));
}

function layersIn(value: unknown, listed: ReadonlySet<unknown>, depth: number): readonly Fields[] {
  // [{"rel": "next", "href": "…"}]
  if (Array.isArray(value)) {
    const next: unknown = value
      .slice(0, 50)
      .find((link) => isRecord(link) && /^next$/i.test(String(link["rel"])));
    return isRecord(next) ? [[["next", next["href"] ?? next["url"], "next"]]] : [];
  }
  if (!isRecord(value) || depth > 3) return [];
  const fields = Object.entries(value)
    .slice(0, 200)
    .map(([name, inner]) => [fieldName(name), inner, name] as const);
  const inner = fields.filter(
    ([plain, each]) =>
      typeof each === "object" && !listed.has(each) && (wrapperNames.has(plain) || /links?$/.test(plain)),
  );
  return [fields, ...inner.flatMap(([, each]) => layersIn(each, listed, depth + 1))];
}

function says(layers: readonly Fields[], names: ReadonlySet<string>, wanted: boolean): boolean {
  return layers.some((fields) =>
    fields.some(
      ([plain, value]) =>
        names.has(plain) && (value === wanted || value === String(wanted) || (wanted && value === 1)),
    ),
  );
}

/** A connection has a cursor even if there is no next page. */
function saysNoMore(layers: readonly Fields[]): boolean {
  return says(layers, moreNames, false) || says(layers, lastPageNames, true);
}

/** All positions to continue from, those in headers first, with every way to request them. */
function findPositions(page: ReadPage, layers: readonly Fields[]): readonly Way[] {
  const { url, headers } = page;
  const link = nextLink(headers["link"] ?? "");
  const ways: Way[] = link === undefined ? [] : [followUrl(url, link)].flatMap((way) => way ?? []);
  for (const [name, value] of Object.entries(headers)) {
    const [, kind] = /-next-(page|token|cursor|marker)$/.exec(name) ?? [];
    const position = value.trim();
    if (kind === undefined || !isPosition(position)) continue;
    const parameters = kind === "page" ? ["page"] : (positions.get(`next${kind}`) ?? []);
    ways.push(...withParameters(url, parameters, position));
  }
  for (const fields of layers) {
    for (const [plain, value] of fields) {
      const target = isRecord(value) ? (value["href"] ?? value["url"] ?? value["link"]) : value;
      if (typeof target === "string" && urlNames.has(plain) && isUrl(target))
        ways.push(...[followUrl(url, target)].flatMap((way) => way ?? []));
    }
    for (const [plain, value, name] of fields) {
      const parameters = positions.get(plain);
      const position = scalarText(value);
      if (parameters === undefined || position === undefined || !isPosition(position) || isUrl(position))
        continue;
      // An echoed request parameter isn't a next position.
      if (
        ["cursor", "after", "aftertoken", "bookmark"].includes(plain) &&
        url.searchParams.get(name) === position
      )
        continue;
      const isToken = !/^\d{1,9}$/.test(position);
      const ordered = parameters.toSorted(
        (first, next) => Number(isToken && first === "page") - Number(isToken && next === "page"),
      );
      ways.push(
        ...withParameters(
          url,
          ordered.flatMap((parameter) => spellings(parameter, name)),
          position,
        ),
      );
    }
    const last = fields.find(([plain]) => plain === "lastid");
    const lastId = scalarText(last?.[1]);
    if (lastId !== undefined && says([fields], moreNames, true))
      ways.push(...withParameters(url, ["after", "last_id", ...lastIdParameters], lastId));
  }
  return ways;
}

interface PageNumbers {
  readonly total?: number;
  /** Whether more servers are reported than were read. */
  readonly isMore: boolean;
  /** Whether all of the reported servers were read, which are more than those on this page. */
  readonly isReached: boolean;
  /** Requests by the next page number or offset. */
  readonly ways: readonly PageWay[];
}

/** Counts in the response, or in its headers: `X-Total-Count`, `X-Page`, `Content-Range: items 0-19/57`. */
function readNumbers(page: ReadPage, layers: readonly Fields[]): PageNumbers {
  const { headers, count, countSoFar, index, url } = page;
  const field = (names: ReadonlySet<string>): readonly [name: string, value: number] | undefined => {
    for (const [plain, value, name] of layers.flat()) {
      const number = names.has(plain) ? countOf(value) : undefined;
      if (number !== undefined) return [name, number];
    }
    return undefined;
  };
  const [, last, range] =
    /(\d{1,12})\/(\d{1,12})\s*$/.exec(headers["content-range"]?.slice(0, 200) ?? "") ?? [];
  const remaining = field(remainingNames)?.[1] ?? 0;
  const total =
    field(totalNames)?.[1] ??
    (remaining > 0 ? countSoFar + remaining : undefined) ??
    countOf(headers["x-total-count"]) ??
    countOf(headers["x-total"]) ??
    countOf(range);
  const pages = field(pageCountNames)?.[1] ?? countOf(headers["x-total-pages"]);
  const end = Number(last) + 1;
  const isBeyond = range === undefined ? total !== undefined && total > countSoFar : end < Number(range);
  const number = field(pageNames);
  const headerNumber = countOf(headers["x-page"]);
  const isEarlier =
    pages !== undefined && (headerNumber === undefined ? index + 1 < pages : headerNumber < pages);
  const isMore = isBeyond || (isEarlier && count > 0);
  const isReached = total !== undefined && total > count && total <= countSoFar;
  const known = isBeyond && total !== undefined ? { total, isReached } : { isReached };
  if (!isMore || count === 0) return { ...known, isMore, ways: [] };
  const ways: PageWay[] = [];
  if (number !== undefined) {
    // Next to these two, the response uses the request parameter's own name, which contains “current”.
    const isOwnName = field(words("size")) !== undefined && field(words("pages")) !== undefined;
    const general = number[0].replace(
      isOwnName ? /^current_?page$/i : /^(?:current(?:_?page)?|number)$/i,
      "page",
    );
    ways.push(
      ...withParameters(
        url,
        [general, ...pageParameters.flatMap((each) => spellings(each, general))],
        String(number[1] + 1),
      ),
    );
  }
  const offset = field(offsetNames);
  if (offset !== undefined)
    ways.push(...withParameters(url, [offset[0], ...offsetParameters], String(offset[1] + count)));
  // A limit without a position means that the position was left out because it is 0.
  else if (number === undefined && field(words("limit")) !== undefined)
    ways.push(...withParameters(url, offsetParameters, String(countSoFar)));
  if (headerNumber !== undefined) ways.push(...withParameters(url, pageParameters, String(headerNumber + 1)));
  if (end < Number(range)) ways.push(...withParameters(url, offsetParameters, String(end)));
  return { ...known, isMore, ways };
}

/**
 * The usual requests if a response reports more servers without a position. Pages may be counted from 0 or from 1, so a
 * page that is left out by mistake must be noticed by the total.
 */
function guess({ url, count, countSoFar, index, lastId }: ReadPage, hasTotal: boolean): readonly PageWay[] {
  if (count === 0) return [];
  return [
    ...(hasTotal ? withParameters(url, ["page"], String(index + 2)) : []),
    ...(lastId === undefined ? [] : withParameters(url, lastIdParameters, lastId)),
    ...withParameters(url, ["offset", "skip"], String(countSoFar)),
  ];
}

/** As the user's setting describes it: a position in the response, or a count of pages or servers. */
function waysOfSetting(page: ReadPage, paging: ListPaging, parameter: string): readonly Way[] {
  if (paging.next === undefined) {
    if (page.count === 0) return [];
    const next = paging.counts === "servers" ? page.countSoFar : (paging.first ?? 1) + page.index + 1;
    return withParameters(page.url, [parameter], String(next));
  }
  const text = scalarText(followPath(page.document, paging.next)[0]?.value);
  if (text === undefined || !isPosition(text)) return [];
  return isUrl(text)
    ? [followUrl(page.url, text)].flatMap((way) => way ?? [])
    : withParameters(page.url, [parameter], text);
}

/** `<https://…?page=2>; rel="next"` */
function nextLink(header: string): string | undefined {
  for (const [, url, parameters = ""] of header.slice(0, 8_000).matchAll(/<([^<>]{1,4000})>([^<]{0,500})/g)) {
    if (/;\s{0,5}rel\s{0,5}=\s{0,5}["']?(?:[\w-]{1,20}\s){0,3}next\b/i.test(parameters)) return url;
  }
  return undefined;
}

function isUrl(text: string): boolean {
  return /^(?:https?:\/\/|\/|\?)/i.test(text);
}

function isPosition(text: string): boolean {
  return text.length <= 8_000 && !/^(?:|null|none|false|true|0|-1)$/i.test(text.trim());
}

/** Credentials are added to every request, and never taken from a response. */
function followUrl(from: URL, target: string): Way | undefined {
  if (!URL.canParse(target, from.href)) return undefined;
  const next = new URL(target, from.href);
  if (next.origin !== from.origin || next.username !== "" || next.password !== "") return "otherOrigin";
  next.hash = "";
  for (const name of [...next.searchParams.keys()]) {
    if (credentialNames.parameters.has(name.toLowerCase())) next.searchParams.delete(name);
  }
  return { url: next, parameter: "" };
}

function withParameters(from: URL, parameters: readonly string[], value: string): readonly PageWay[] {
  const own = [...from.searchParams.keys()];
  // The request's own spelling comes first, if it has the parameter already.
  const names = new Set(
    parameters.map((name) => own.find((known) => fieldName(known) === fieldName(name)) ?? name),
  );
  return [...names].flatMap((parameter) => {
    if (credentialNames.parameters.has(parameter.toLowerCase())) return [];
    const url = new URL(from);
    url.searchParams.set(parameter, value);
    return [{ url, parameter }];
  });
}

/** `page_token` in the style of a field such as `nextPageToken` or `NextToken`, and as it is. */
function spellings(parameter: string, field: string): readonly string[] {
  const camel = parameter.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
  if (field.includes("_") || field.includes("-")) return [parameter];
  return /^[A-Z]/.test(field) ? [camel.charAt(0).toUpperCase() + camel.slice(1), camel] : [camel, parameter];
}
