import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import { pointerSteps } from "../../core/servers/filter/recordValues.ts";
import type { ListExtent } from "../../core/servers/server.ts";
import { countOf } from "./recordView.ts";

/** What the response reports about servers beyond those that it lists. */
interface Signals {
  readonly total?: number;
  readonly hasMore?: true;
}

/** Names of fields with the number of all servers. */
export const totalNames =
  /^(?:total|totalcount|totalresults|totalitems|totalentries|totalelements|totalsize|totalrecords|totalnum|totalservers|totalinstances|totalhits|totalrows|count|numfound|itemcount|recordcount|resultcount|xtotalcount)$/;
const remainingNames = /^(?:remainingitemcount|remaining|remainingitems)$/;
const pageNames =
  /^(?:meta|metadata|pagination|paging|paginator|page|pages|pageinfo|pager|links?|cursors?|cursor|listmeta|resultinfo|responsemetadata|result|data|response|[a-z]*links)$/;
/** Names of fields with a position to continue from. */
const nextNames =
  /^(?:next|more|nextpage|next(?:page)?(?:token|cursor|key|link|links|url|uri|href|marker|offset|id|start|number|index|results?|continuationtoken)|continuationtoken|continuation|continue|lastevaluatedkey|endcursor|nextrecordsurl|odatanextlink|aftercursor|scrollid)$/;
const moreNames =
  /^(?:hasmore|hasmoreitems|hasmoreresults|hasmorepages|hasmoredata|hasnext|hasnextpage|hasadditional|istruncated|truncated|moreresults|moreavailable|moreitems|ispartial|partial|incomplete|incompleteresults|moredata)$/;
/** Names of fields with the number of pages. */
export const pageCountNames =
  /^(?:totalpages?|pagecount|pagescount|numpages|numberofpages|lastpage|pages|pagetotal|totalpagecount|maxpage)$/;

/**
 * What a response reports about servers that it doesn't list: a total, a position to continue from, or a number of
 * pages. The object nearest to the list takes precedence.
 * @param count Number of servers in the list.
 */
export function readExtent(document: unknown, steps: readonly PathStep[], count: number): ListExtent {
  const around: unknown[] = [document];
  let value = document;
  for (const step of steps) {
    if (!("field" in step) || !isRecord(value)) break;
    value = value[step.field];
    around.push(value);
  }
  const listField = steps.find((step) => "field" in step);
  let hasMore: true | undefined;
  for (const location of around.toReversed()) {
    const { total, hasMore: more } = signalsIn(
      location,
      0,
      listField === undefined ? "" : listField.field,
      count,
    );
    hasMore ??= more;
    if (total !== undefined) return extentOf(count, { total, ...(hasMore === undefined ? {} : { hasMore }) });
  }
  return extentOf(count, hasMore === undefined ? {} : { hasMore });
}

/**
 * What the headers of a response report about further servers: `Link: <…>; rel="next"`, `X-Total-Count`,
 * `X-Total-Pages`, `X-Next-Page`, `Content-Range: items 0-19/57`.
 */
export function readHeaderExtent(headers: Readonly<Record<string, string>>, count: number): ListExtent {
  const total =
    countOf(headers["x-total-count"]) ??
    countOf(headers["x-total"]) ??
    countOf(/\/(\d{1,12})\s*$/.exec(headers["content-range"]?.slice(0, 200) ?? "")?.[1]);
  const hasNext = (headers["link"] ?? "")
    .slice(0, 8_000)
    .split(",")
    .some((link) => /;\s{0,5}rel\s{0,5}=\s{0,5}["']?(?:[\w-]{1,20}\s){0,3}next\b/i.test(link));
  const nextPage = headers["x-next-page"] ?? headers["x-next-token"] ?? headers["x-next-cursor"] ?? "";
  const pages = countOf(headers["x-total-pages"]) ?? 1;
  const hasMore = hasNext || nextPage.trim() !== "" || pages > 1;
  return extentOf(count, { ...(total === undefined ? {} : { total }), ...(hasMore ? { hasMore } : {}) });
}

/** A total that doesn't exceed the list means that the list is complete, regardless of anything else. */
function extentOf(count: number, { total, hasMore }: Signals): ListExtent {
  if (total !== undefined) return total > count ? { total, hasMore: true } : {};
  return hasMore === true ? { hasMore } : {};
}

function signalsIn(value: unknown, depth: number, listField: string, count: number): Signals {
  if (Array.isArray(value)) return hasNextLink(value) ? { hasMore: true } : {};
  if (!isRecord(value)) return {};
  let { total, hasMore }: { total?: number; hasMore?: true } = {};
  for (const [field, inner] of Object.entries(value).slice(0, 200)) {
    const name = fieldName(field);
    const number = totalNames.test(name) ? countOf(inner) : undefined;
    if (total === undefined && number !== undefined) total = number;
    const remaining = remainingNames.test(name) ? countOf(inner) : undefined;
    if (remaining !== undefined && remaining > 0) total ??= count + remaining;
    if (saysMore(name, inner)) hasMore = true;
  }
  // A page of a GraphQL connection has a cursor even if there is no next page.
  if (value["hasNextPage"] === false || value["has_next_page"] === false || value["has_more"] === false) {
    hasMore = undefined;
  }
  if (depth <= 2) {
    for (const [field, inner] of Object.entries(value).slice(0, 200)) {
      if (field === listField || typeof inner !== "object" || !pageNames.test(fieldName(field))) continue;
      const nested = signalsIn(inner, depth + 1, "", count);
      total ??= nested.total;
      hasMore ??= nested.hasMore;
    }
  }
  return { ...(total === undefined ? {} : { total }), ...(hasMore === undefined ? {} : { hasMore }) };
}

function saysMore(name: string, value: unknown): boolean {
  if (moreNames.test(name)) return value === true || value === "true" || value === 1;
  if (pageCountNames.test(name)) return (countOf(value) ?? 0) > 1;
  return nextNames.test(name) && isLocation(value);
}

/** A URL, a token or a number; or an object with a URL. */
function isLocation(value: unknown): boolean {
  if (typeof value === "string") return !/^(?:|null|none|false|0)$/i.test(value.trim());
  if (typeof value === "number") return value > 0;
  if (typeof value === "boolean") return value;
  return isRecord(value) && Object.values(value).some((inner) => typeof inner === "string" && inner !== "");
}

/** `[{"rel": "next", "href": "…"}]` */
function hasNextLink(links: readonly unknown[]): boolean {
  return links.slice(0, 50).some((link) => isRecord(link) && /^next$/i.test(String(link["rel"] ?? "")));
}

/** A step of the path through a response: a field, every entry of a list, or every entry of a map. */
export type PathStep = { readonly field: string } | { readonly each: "list" | "map" };

/** One entry of the list that was found; `key` is its name if the list is a map. */
export interface Entry {
  readonly value: unknown;
  readonly key?: string;
}

/** Such as `data.list`, `Reservations[].Instances`, `items{}`; empty if the response itself is the list. */
export function pathText(steps: readonly PathStep[]): string {
  const last = steps.at(-1);
  const shown = last !== undefined && "each" in last && last.each === "list" ? steps.slice(0, -1) : steps;
  return shown
    .map((step) => ("field" in step ? `.${step.field}` : step.each === "list" ? "[]" : "{}"))
    .join("")
    .replace(/^\./, "");
}

/** Everything at the end of the path, in the order of the response. */
export function entriesAt(document: unknown, steps: readonly PathStep[]): readonly Entry[] {
  return steps.reduce<readonly Entry[]>(
    (entries, step) => entries.flatMap((entry) => stepInto(entry.value, step)),
    [{ value: document }],
  );
}

function stepInto(value: unknown, step: PathStep): readonly Entry[] {
  if ("field" in step) {
    const inner = isRecord(value) ? value[step.field] : undefined;
    return inner === undefined || inner === null ? [] : [{ value: inner }];
  }
  if (step.each === "list")
    return Array.isArray(value) ? value.map((item: unknown) => ({ value: item })) : [];
  if (!isRecord(value)) return [];
  return Object.entries(value)
    .filter(([, inner]) => typeof inner === "object" && inner !== null)
    .map(([key, inner]) => ({ value: inner, key }));
}

/** A value found by a path, along with the actual path to it. */
interface Found {
  readonly value: unknown;
  readonly path: string;
}

const maxFound = 100_000;

/**
 * Follows a user's path, which is a JSON pointer (`/gpu/model`) or dotted: names (including their own dots, if a field
 * has such a name), numbers for entries of a list, `*` for every entry of a list or map. A list on the path without an
 * index means all its entries.
 */
export function followPath(value: unknown, path: string): readonly Found[] {
  const found: Found[] = [];
  const start = { value, path: "" };
  follow(start, path.startsWith("/") ? pointerSteps(path) : dottedSteps(path), found);
  return found;
}

function dottedSteps(path: string): readonly string[] {
  return path
    .replace(/^\$\.?/, "")
    .replace(/\[(\d+|\*?)\]/g, (_, index: string) => `.${index === "" ? "*" : index}`)
    .replace(/\{\}/g, ".*")
    .split(".")
    .filter((step) => step !== "");
}

function follow(at: Found, steps: readonly string[], found: Found[]): void {
  if (found.length >= maxFound) return;
  if (steps.length === 0) {
    if (at.value !== undefined && at.value !== null) found.push(at);
    return;
  }
  if (Array.isArray(at.value)) followList(at.value, at.path, steps, found);
  else if (isRecord(at.value)) followRecord(at.value, at.path, steps, found);
}

function followList(list: readonly unknown[], path: string, steps: readonly string[], found: Found[]): void {
  const [step = "", ...rest] = steps;
  if (/^\d+$/.test(step)) {
    follow({ value: list[Number(step)], path: `${path}[${step}]` }, rest, found);
    return;
  }
  const next = step === "*" ? rest : steps;
  for (const [index, value] of list.entries()) follow({ value, path: `${path}[${index}]` }, next, found);
}

/** The longest run of steps that matches a field's own name is used as that name. */
function followRecord(
  record: Readonly<Record<string, unknown>>,
  path: string,
  steps: readonly string[],
  found: Found[],
): void {
  const prefix = path === "" ? "" : `${path}.`;
  for (let length = steps.length; length > 0; length--) {
    const name = steps.slice(0, length).join(".");
    if (!Object.hasOwn(record, name)) continue;
    follow({ value: record[name], path: prefix + name }, steps.slice(length), found);
    return;
  }
  if (steps[0] !== "*") return;
  for (const [name, value] of Object.entries(record))
    follow({ value, path: prefix + name }, steps.slice(1), found);
}
