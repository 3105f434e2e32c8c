import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isRecord, isSameJson } from "../../core/kernel/json.ts";
import type { FieldMapping } from "../../core/servers/fieldMapping.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import type { ListExtent, Server, ServerList } from "../../core/servers/server.ts";
import { cleanServerText, parseErrorText, redactSecrets } from "../errors/serverText.ts";
import { createReportedError, createResponseError } from "../http/errorResponse.ts";
import type { ErrorContext, ErrorHead } from "../http/errorResponse.ts";
import { scalarText } from "./recordView.ts";
import { parseExactJson } from "./exactJson.ts";
import { findServerList, serverListScore } from "./findServerList.ts";
import type { PageMemory } from "./listPages.ts";
import { entriesAt, followPath } from "./listPath.ts";
import type { Entry, ListPage } from "./listPath.ts";
import { openEntry } from "./readServer.ts";

const successWords = /^(?:ok|okay|success|successful|succeeded|succeed|true|done|none|no[_ ]?error|)$/i;
const failureWords = /^(?:errors?|fail|failed|failure|denied|unauthorized|forbidden|false|ko|nok)$/i;
const codeNames = /^(?:code|errcode|errorcode|retcode|resultcode|returncode|errno|statuscode)$/;
const stateNames = /^(?:status|success|ok|result|succeeded|issuccess)$/;

/** Whether a response without servers reports an error, whatever its HTTP status is. */
export function isErrorEnvelope(document: unknown): boolean {
  if (!isRecord(document)) return false;
  const fields = new Map(Object.entries(document).map(([name, value]) => [fieldName(name), value]));
  if ([...fields].some(([name, value]) => isFailedField(name, value))) return true;
  const codes = [...fields].filter(([name, value]) => codeNames.test(name) && isErrorCode(value));
  if (codes.some(([, code]) => typeof code === "string" && /[A-Za-z]/.test(code))) return true;
  if (codes.length > 0 && !saysSuccess(fields)) return true;
  return [...fields.values()].some((value) => isRecord(value) && isWrappedError(value));
}

/** Some services use their own number for success. */
function saysSuccess(fields: ReadonlyMap<string, unknown>): boolean {
  const message = scalarText(fields.get("message") ?? fields.get("msg")) ?? "";
  if (/^(?:ok|succe|getting|retrieved|fetched)/i.test(message)) return true;
  return [...fields].some(([name, value]) => stateNames.test(name) && isSuccess(value));
}

function isFailedField(name: string, value: unknown): boolean {
  if (stateNames.test(name))
    return value === false || (typeof value === "string" && failureWords.test(value.trim()));
  if (name !== "error" && name !== "errors") return false;
  if (Array.isArray(value)) return value.length > 0;
  return isRecord(value)
    ? Object.keys(value).length > 0
    : typeof value === "string" && !successWords.test(value);
}

function isSuccess(value: unknown): boolean {
  return value === true || (typeof value === "string" && successWords.test(value.trim()));
}

/** 0 and 200 mean success nearly everywhere, as do the words for it. */
function isErrorCode(value: unknown): boolean {
  const code = scalarText(value);
  if (code === undefined || /^0*$/.test(code) || /^2\d\d(?:00)?$/.test(code)) return false;
  return !successWords.test(code);
}

/** `{"Response": {"Error": {"Code": …}}}` */
function isWrappedError(record: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(record).some(
    ([name, value]) => fieldName(name) === "error" && isRecord(value) && Object.keys(value).length > 0,
  );
}

/** Where a response comes from, to explain one that isn't a list. */
interface ListOrigin {
  readonly response: ErrorHead;
  readonly context: ErrorContext;
}

const messageNames = /^(?:message|msg|errormessage|detail)$/;

/** The error for a response that isn't a list: what the server says takes precedence over that it isn't one. */
function createListError(
  what: string,
  { response, context }: ListOrigin,
  text: string,
  document?: unknown,
): ServiceError {
  const said = isErrorEnvelope(document)
    ? createReportedError(response, document, context)
    : createResponseError(response, parseErrorText(text), text, context);
  const hasMessage =
    isRecord(document) && Object.keys(document).some((name) => messageNames.test(fieldName(name)));
  if (said.reason !== "malformed" || hasMessage) return said;
  const advice = t(
    "Check the profile's gateway URL. A proxy, a login page, or another service may have responded.",
  );
  const message = redactSecrets(`${what} ${advice}`, context.secrets ?? []);
  return new ServiceError({ ...said.facts, message });
}

/** Why a text isn't JSON: it is a proxy's page, or nothing at all. */
function describeText(body: string): string {
  if (body === "") return t("The GPU gateway returned an empty response instead of a list of servers.");
  if (!body.startsWith("<"))
    return t("The GPU gateway returned a response that isn't JSON instead of a list of servers.");
  const { pageTitle } = parseErrorText(body);
  if (pageTitle === undefined) return t("The GPU gateway returned a web page instead of a list of servers.");
  const title = cleanServerText(pageTitle);
  return t("The GPU gateway returned a web page titled “{0}” instead of a list of servers.", title);
}

/**
 * Finds the list in the response to `GET /gpu/api/v1/servers` (interface section 4.2: "shape not shown"), whatever its
 * envelope is. Throws a ServiceError: `malformed` for anything that isn't a list, and the reason for its code for an
 * error with status 200.
 */
export function readListPage(text: string, mapping: FieldMapping, origin: ListOrigin): ListPage {
  const what = t("The GPU gateway responded, but the response contains no server list.");
  let document: unknown;
  try {
    document = parseExactJson(text);
  } catch {
    throw createListError(describeText(text.trim()), origin, text);
  }
  const list = mappedList(document, mapping) ?? foundList(document);
  if (list === undefined || (list.entries.length === 0 && isErrorEnvelope(document)))
    throw createListError(what, origin, text, document);
  return { document, ...list };
}

/** Servers that are read in one step, which takes some 20 ms when the extension has just started. */
const stepLength = 300;

/**
 * Reads successive lists of one gateway. The servers whose records haven't changed are the same objects as before, so
 * that only the rows of the others are drawn again. No entry is dropped: an unrecognized one is a server with an unknown
 * state.
 */
export class ServerListReader {
  /** How the further pages of the last list were requested. */
  readonly pages: PageMemory = {};
  #last: ServerList | undefined;
  #mapping = "";
  #currency: string | undefined;

  /** The list with these entries, which may be those of several pages: in steps, between which others can run. */
  *read(
    page: ListPage,
    entries: readonly Entry[],
    mapping: FieldMapping,
    extent: ListExtent,
  ): Generator<undefined, ServerList> {
    const mappingText = JSON.stringify(mapping);
    const currency = currencyOf(page);
    const isComparable = this.#mapping === mappingText && this.#currency === currency;
    const last = isComparable ? this.#last : undefined;
    const known = new Map(last?.servers.map((server) => [server.key, server]));
    const used = new Map<string, number>();
    const servers: Server[] = [];
    for (const { value, key: name } of entries) {
      if (servers.length % stepLength === stepLength - 1) yield;
      const opened = openEntry(value, name, mapping);
      const key = uniqueKey(opened.key ?? `#${servers.length + 1}`, used);
      const before = known.get(key);
      const isSame = before !== undefined && isSameJson(before.record, value);
      servers.push(isSame ? before : { key, ...opened.read({ currency }) });
    }
    const list = { servers, ...extent };
    const isSame =
      last?.servers.length === servers.length &&
      servers.every((server, index) => server === last.servers[index]) &&
      isSameJson({ ...last, servers: [] }, { ...list, servers: [] });
    this.#last = isSame ? last : list;
    this.#mapping = mappingText;
    this.#currency = currency;
    return this.#last;
  }
}

/** `{"currency": "INR", "instances": […]}` */
function currencyOf({ document, steps }: ListPage): string | undefined {
  let around = document;
  let found: string | undefined;
  for (const step of [...steps, undefined]) {
    if (!isRecord(around)) break;
    for (const [name, value] of Object.entries(around)) {
      const isCode = typeof value === "string" && /^[A-Za-z]{3}$/.test(value);
      if (isCode && /currency(?:code)?$/.test(fieldName(name))) found = value.toUpperCase();
    }
    around = step !== undefined && "field" in step ? around[step.field] : undefined;
  }
  return found;
}

/** The list at the user's path; undefined if the mapping doesn't contain one or nothing is there. */
function mappedList(document: unknown, mapping: FieldMapping): Omit<ListPage, "document"> | undefined {
  for (const path of mapping.list ?? []) {
    const locations = followPath(document, path);
    if (locations.length === 0) continue;
    const entries = locations.flatMap(({ value }) => entriesOf(value, locations.length > 1));
    return { entries, steps: [] };
  }
  return undefined;
}

/**
 * The items of a list or the entries of a map; if there are several locations, each one is an entry unless it is a
 * list.
 */
function entriesOf(value: unknown, isOneOfMany: boolean): readonly Entry[] {
  if (Array.isArray(value)) return value.map((item: unknown) => ({ value: item }));
  if (!isRecord(value) || isOneOfMany) return [{ value }];
  return Object.entries(value).map(([key, item]) => ({ value: item, key }));
}

function foundList(document: unknown): Omit<ListPage, "document"> | undefined {
  const candidate = findServerList(document);
  if (candidate !== undefined) {
    const { steps } = candidate;
    return { entries: candidate.isEmpty ? [] : entriesAt(document, steps), steps };
  }
  if (document === null) return { entries: [], steps: [] };
  if (!isRecord(document)) return undefined;
  const { score, isStrong } = serverListScore([document]);
  if (isStrong && score >= 6 && !isErrorEnvelope(document)) {
    return { entries: [{ value: document }], steps: [] };
  }
  return isEmptyEnvelope(document) ? { entries: [], steps: [] } : undefined;
}

/** Some services omit an empty list from its envelope: only a kind, a count of 0 or links to other pages remain. */
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

/** UTF-16 units. No ID is longer, and rows, marks and files contain it. */
const longestKey = 200;

/**
 * The key, with the next free number added if needed; it counts as used from then on.
 * @param used How often each key was wanted.
 */
function uniqueKey(wanted: string, used: Map<string, number>): string {
  const base = wanted.slice(0, longestKey);
  let key = base;
  let occurrence = used.get(base) ?? 0;
  do {
    occurrence++;
    if (occurrence > 1) key = `${base}#${occurrence}`;
  } while (used.has(key));
  used.set(key, 1);
  used.set(base, occurrence);
  return key;
}
