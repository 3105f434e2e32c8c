import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import type { ListPaging } from "../../core/servers/fieldMapping.ts";
import { credentialNames } from "../../core/account/credentialPlaces.ts";
import { followPath, pageCountNames, totalNames } from "./listExtent.ts";
import { countOf } from "./recordView.ts";

/** A page of the list, and how far the list has been read, including this page. */
interface ReadPage {
  /** The URL that was requested, without credentials. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The response without the entries of its list. */
  readonly envelope: unknown;
  /** The number of entries on this page, and on all pages so far. */
  readonly count: number;
  readonly countSoFar: number;
  /** Counted from 0. */
  readonly index: number;
}

/** A position to continue from, with the parameter that requests it. */
const tokens: readonly (readonly [field: RegExp, parameterOf: (field: string) => string])[] = [
  [/^next_?page_?token$/i, (field) => (field.includes("_") ? "page_token" : "pageToken")],
  [/^next_?token$/i, (field) => field],
  [
    /^next_?(?:page_?)?(?:cursor|marker|offset|start|key)$/i,
    (field) => lowerFirst(field.replace(/^next_?(?:page_?)?/i, "")),
  ],
  [/^next_?continuation_?token$/i, (field) => lowerFirst(field.replace(/^next_?/i, ""))],
  [/^(?:continuation_?token|scroll_?id)$/i, (field) => field],
  [/^continue$/, (field) => field],
  [/^(?:end|after)_?cursor$/i, () => "after"],
  [/^next_?page(?:_?number)?$/i, () => "page"],
];
const urlNames =
  /^(?:next|nextlink|nexturl|nexturi|nexthref|nextpage|nextpageurl|nextpagelink|nextrecordsurl|odatanextlink|atnextlink)$/;
const pageNames = /^(?:page|pageno|pagenum|pagenumber|pageindex|currentpage|current)$/;
const sizeNames = /^(?:pagesize|perpage|size|limit|pagelimit|itemsperpage)$/;
const offsetNames = /^(?:offset|skip|start|startindex|from)$/;
const wrappers =
  /^(?:meta|metadata|pagination|paging|paginator|pages?|pageinfo|pager|[a-z]{0,40}links?|cursors?|listmeta|resultinfo|responsemetadata|result|data|response)$/;

/**
 * The URL of the next page as the response describes it, without credentials; undefined if this is the last page, or if
 * the response doesn't say how to continue. `otherOrigin` if it leads elsewhere, where no credential may be sent.
 */
export function findNextPage(page: ReadPage, paging?: ListPaging): URL | "otherOrigin" | undefined {
  if (paging?.follow === false) return undefined;
  if (paging?.parameter !== undefined) return mapped(page, paging, paging.parameter);
  const link = nextLink(page.headers["link"] ?? "");
  if (link !== undefined) return followUrl(page.url, link);
  const inHeader = headerParameter(page.headers);
  if (inHeader !== undefined) return withParameter(page.url, ...inHeader);
  const layers = [...layersOf(page.envelope)];
  if (layers.some(saysNoMore)) return undefined;
  for (const fields of layers) {
    const found = urlIn(fields) ?? tokenIn(fields) ?? lastIdIn(fields);
    if (found !== undefined)
      return typeof found === "string" ? followUrl(page.url, found) : withParameter(page.url, ...found);
  }
  // Counts in headers don't specify how to continue, so anything that the response itself specifies takes precedence.
  const counted = headerCount(page);
  return counted === undefined ? byNumbers(page, layers) : withParameter(page.url, ...counted);
}

/** As the user's setting describes it: a position in the response, or a count of pages or servers. */
function mapped(page: ReadPage, paging: ListPaging, parameter: string): URL | "otherOrigin" | undefined {
  if (paging.next === undefined) {
    if (page.count === 0) return undefined;
    const next = paging.counts === "servers" ? page.countSoFar : (paging.first ?? 1) + page.index + 1;
    return withParameter(page.url, parameter, String(next));
  }
  const value: unknown = followPath(page.envelope, paging.next)[0]?.value;
  const text = typeof value === "number" ? String(value) : value;
  if (typeof text !== "string" || !isPosition(text)) return undefined;
  return isUrl(text) ? followUrl(page.url, text) : withParameter(page.url, parameter, text);
}

type Fields = ReadonlyMap<string, unknown>;

/** The response and the objects in it that describe pages, from the outside in. */
function* layersOf(value: unknown, depth = 0): Generator<Fields> {
  if (Array.isArray(value)) {
    // [{"rel": "next", "href": "…"}]
    const next: unknown = value.slice(0, 50).find((link) => isRecord(link) && link["rel"] === "next");
    if (isRecord(next)) yield new Map([["next", next["href"]]]);
    return;
  }
  if (!isRecord(value) || depth > 3) return;
  const fields = new Map(Object.entries(value).slice(0, 200));
  yield fields;
  for (const [name, inner] of fields) {
    if (typeof inner === "object" && wrappers.test(fieldName(name))) yield* layersOf(inner, depth + 1);
  }
}

function saysNoMore(fields: Fields): boolean {
  return [...fields].some(
    ([name, value]) =>
      value === false && /^has(?:more|next|nextpage|moreitems|moreresults)$/.test(fieldName(name)),
  );
}

function urlIn(fields: Fields): string | undefined {
  for (const [name, value] of fields) {
    const url = isRecord(value) ? value["href"] : value;
    if (typeof url === "string" && urlNames.test(fieldName(name)) && isUrl(url)) return url;
  }
  return undefined;
}

function tokenIn(fields: Fields): readonly [string, string] | undefined {
  for (const [name, value] of fields) {
    const parameterOf = tokens.find(([field]) => field.test(name))?.[1];
    const text = typeof value === "number" ? String(value) : value;
    if (parameterOf !== undefined && typeof text === "string" && isPosition(text))
      return [parameterOf(name), text];
  }
  return undefined;
}

/** `{"has_more": true, "last_id": "…"}` is continued after that ID. */
function lastIdIn(fields: Fields): readonly [string, string] | undefined {
  const hasMore = [...fields].some(
    ([name, value]) => value === true && /^has(?:more|next|nextpage)$/.test(fieldName(name)),
  );
  const last = [...fields].find(([name]) => fieldName(name) === "lastid")?.[1];
  const id = typeof last === "number" ? String(last) : last;
  return hasMore && typeof id === "string" && isPosition(id) ? ["after", id] : undefined;
}

/** A page number with the number of pages, or an offset, each as long as more remains. */
function byNumbers({ url, count, countSoFar, index }: ReadPage, layers: readonly Fields[]): URL | undefined {
  const number = (names: RegExp): readonly [string, number] | undefined =>
    layers
      .flatMap((fields) => [...fields])
      .flatMap(([name, value]): (readonly [string, number])[] => {
        const found = names.test(fieldName(name)) ? countOf(value) : undefined;
        return found === undefined ? [] : [[name, found]];
      })[0];
  const total = number(totalNames)?.[1];
  const pages = number(pageCountNames)?.[1];
  const page = number(pageNames);
  if (count === 0) return undefined;
  const hasMore = total === undefined ? pages !== undefined && index + 1 < pages : countSoFar < total;
  if (!hasMore) return undefined;
  if (page !== undefined) {
    // Next to these two, the response uses the request parameter's own name, which contains “current”.
    const isOwnName = number(/^size$/) !== undefined && number(/^pages$/) !== undefined;
    const general = page[0].replace(isOwnName ? /^current_?page$/i : /^current(?:_?page)?$/i, "page");
    const name = requestName(url, general);
    return withParameter(url, name, String(page[1] + 1));
  }
  const offset = number(offsetNames);
  if (offset !== undefined) return withParameter(url, offset[0], String(offset[1] + count));
  // A limit without a position means that the position was left out because it is 0.
  const size = number(sizeNames);
  return size !== undefined && /^limit$/i.test(size[0])
    ? withParameter(url, "offset", String(countSoFar))
    : undefined;
}

/** The request's own spelling, if it has the parameter already. */
function requestName(url: URL, name: string): string {
  return [...url.searchParams.keys()].find((known) => fieldName(known) === fieldName(name)) ?? name;
}

function headerParameter(headers: ReadPage["headers"]): readonly [string, string] | undefined {
  for (const [header, parameter] of [
    ["x-next-page", "page"],
    ["x-next-token", "next_token"],
    ["x-next-cursor", "cursor"],
  ] as const) {
    const value = headers[header]?.trim() ?? "";
    if (isPosition(value)) return [parameter, value];
  }
  return undefined;
}

/** A page number or a range, as long as more remains. */
function headerCount({ headers, countSoFar }: ReadPage): readonly [string, string] | undefined {
  const page = countOf(headers["x-page"]);
  const total = countOf(headers["x-total-count"]) ?? countOf(headers["x-total"]) ?? 0;
  if (page !== undefined && (countSoFar < total || page < (countOf(headers["x-total-pages"]) ?? 0)))
    return ["page", String(page + 1)];
  // Content-Range: items 0-19/57
  const [, last, all] = /(\d{1,12})\/(\d{1,12})$/.exec(headers["content-range"]?.slice(0, 200) ?? "") ?? [];
  const next = Number(last) + 1;
  return next < Number(all) ? ["offset", String(next)] : undefined;
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
  return text.length <= 8_000 && !/^(?:|null|none|false|-1)$/i.test(text.trim());
}

/** Credentials are added to every request, and never taken from a response. */
function followUrl(from: URL, target: string): URL | "otherOrigin" | undefined {
  if (!URL.canParse(target, from.href)) return undefined;
  const next = new URL(target, from.href);
  if (next.origin !== from.origin || next.username !== "" || next.password !== "") return "otherOrigin";
  next.hash = "";
  for (const name of [...next.searchParams.keys()]) {
    if (credentialNames.parameters.has(name.toLowerCase())) next.searchParams.delete(name);
  }
  return next;
}

function withParameter(from: URL, name: string, value: string): URL | undefined {
  if (credentialNames.parameters.has(name.toLowerCase())) return undefined;
  const next = new URL(from);
  next.searchParams.set(name, value);
  return next;
}

function lowerFirst(text: string): string {
  return `${text.charAt(0).toLowerCase()}${text.slice(1)}`;
}
