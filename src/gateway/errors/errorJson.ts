import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord, parseJson } from "../../core/kernel/json.ts";
import type { ErrorBody } from "./errorMarkup.ts";
import { withExplanation } from "./errorClues.ts";
import { withoutTags, parseJsonInside, plainName } from "./errorMarkup.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

const maxDepth = 6;
/** The end of a longer body isn't read, because servers describe errors at the beginning. */
const maxLength = 256 * 1024;

/** Parses an error from a JSON value, such as the object of a stream's `{"error": …}`. */
export function parseErrorValue(value: unknown): ErrorBody {
  return withExplanation(readValue(value, 0), value);
}

/** Parses JSON text, including that of an event stream; undefined for anything else. */
export function parseErrorJson(text: string): ErrorBody | undefined {
  const value = parseErrorDocument(text);
  return value === undefined ? undefined : parseErrorValue(value);
}

/** Parses a body as JSON; undefined for anything else. */
export function parseErrorDocument(text: string): unknown {
  if (/^\s*(?:data|event):/.test(text)) return parseJsonInside(text)?.value;
  if (!/^\s*[[{"]/.test(text) || text.length > maxLength) return undefined;
  return parseJson(text);
}

function readValue(value: unknown, depth: number): ErrorBody {
  if (depth > maxDepth) return {};
  if (typeof value === "string") return readString(value, depth);
  if (Array.isArray(value)) return readList(value, depth);
  return isRecord(value) ? readRecord(value, depth) : {};
}

/** A message may contain another complete error body as text, alone or after other words. */
function readString(text: string, depth: number): ErrorBody {
  const trimmed = text.trim();
  if (trimmed === "") return {};
  const inside = depth < maxDepth ? parseJsonInside(trimmed) : undefined;
  const inner = inside === undefined ? {} : readValue(inside.value, depth + 1);
  if (inside === undefined || inner.message === undefined) return { message: withoutTags(trimmed) };
  const prefix = withoutTags(inside.prefix).replace(/(?<![\s:–-])[\s:–-]+$/, "");
  return prefix === "" ? inner : { ...inner, message: `${prefix}: ${inner.message}` };
}

/** Several errors: the first code, and all messages (at most five) on one line. */
function readList(list: readonly unknown[], depth: number): ErrorBody {
  const bodies = list.slice(0, 5).map((item) => readValue(item, depth + 1));
  const messages = bodies.flatMap(({ message }) => message ?? []);
  return withMessage([...new Set(messages)].join("; "), ...bodies);
}

function readRecord(record: JsonRecord, depth: number): ErrorBody {
  const fields = lowerCaseNames(record);
  const nested = readNested(fields, depth);
  const own = readOwnFields(fields, depth);
  const found = merge(nested, own);
  return found.message === undefined ? merge(readUnknown(fields, depth), found) : found;
}

function lowerCaseNames(record: JsonRecord): ReadonlyMap<string, unknown> {
  const fields = new Map<string, unknown>();
  for (const [name, value] of Object.entries(record)) {
    const key = plainName(name);
    if (!fields.has(key)) fields.set(key, value);
  }
  return fields;
}

/** Field names are compared in lower case without hyphens, underscores and dots. */
const nestedNames = "error errors odataerror fault exception message messages detail details".split(" ");
const messageNames =
  `message defaultmessage errormessage errormsg errmsg errortext msg errordescription detail details
  description faultstring error reason info title statusmsg statusmessage retmsg resultmsg resultmessage
  htmlmessage messagehtml`.split(/\s+/);
const codeNames =
  `code errorcode errcode errornumber errno errortype errorreason type retcode resultcode`.split(/\s+/);
const requestIdNames =
  `requestid traceid correlationid logid errorid incidentid activityid reqid trace`.split(/\s+/);
const weakCodeNames = ["error", "id", "reason", "statuscode"];
/** A number defined by the service; HTTP statuses add nothing. */
const ownNumber = /^(?![1-5]\d\d$)\d{1,9}$/;

/** `{"error": {…}}`, `{"errors": […]}`, `{"detail": [{…}]}`: inner fields take precedence over outer ones. */
function readNested(fields: ReadonlyMap<string, unknown>, depth: number): ErrorBody {
  for (const name of nestedNames) {
    const value = fields.get(name);
    if (typeof value !== "object" || value === null) continue;
    const isBeside = name.startsWith("detail") || name === "errors" || name === "messages";
    const hasOwnMessage = isBeside && hasMessage(fields);
    if (hasOwnMessage) continue;
    const body = readValue(value, depth + 1);
    if (body.message !== undefined || body.code !== undefined) return body;
  }
  return {};
}

function hasMessage(fields: ReadonlyMap<string, unknown>): boolean {
  return ["message", "msg", "errormessage", "errormsg", "detail"].some(
    (name) => textOf(fields.get(name)) !== undefined,
  );
}

function readOwnFields(fields: ReadonlyMap<string, unknown>, depth: number): ErrorBody {
  const messageName = messageNames.find((name) => textOf(fields.get(name)) !== undefined);
  const message = messageName === undefined ? undefined : textOf(fields.get(messageName));
  const body = message === undefined ? {} : readString(message, depth);
  const code = readCode(fields, messageName);
  const requestId = requestIdNames.map((name) => textOf(fields.get(name))).find((id) => id !== undefined);
  return {
    ...(code === undefined ? {} : { code }),
    ...body,
    ...(body.message === undefined ? {} : { message: annotate(body.message, fields) }),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

/** Adds where the mistake is (FastAPI's `loc`, `field`) and what the server suggests. */
function annotate(message: string, fields: ReadonlyMap<string, unknown>): string {
  const path = fields.get("loc");
  const location = Array.isArray(path) ? path.join(".") : textOf(fields.get("field"));
  const suggestion = textOf(fields.get("suggestion"));
  return `${location === undefined ? "" : `${location}: `}${message}${suggestion === undefined ? "" : ` ${suggestion}`}`;
}

function readCode(fields: ReadonlyMap<string, unknown>, messageName: string | undefined): string | undefined {
  for (const name of codeNames) {
    const code = codeOf(fields.get(name));
    if (code === undefined || name === messageName) continue;
    return statusWord(code, fields) ?? code;
  }
  const extensions = fields.get("extensions");
  if (isRecord(extensions) && codeOf(extensions["code"]) !== undefined) return codeOf(extensions["code"]);
  return messageName === undefined ? undefined : readWeakCode(fields, messageName);
}

/**
 * `{"code": 429, "status": "RESOURCE_EXHAUSTED"}`: the number only repeats the HTTP status, and the word is more
 * specific.
 */
function statusWord(code: string, fields: ReadonlyMap<string, unknown>): string | undefined {
  if (!/^[45]\d\d$/.test(code)) return undefined;
  const word = [fields.get("status"), fields.get("kind") === "Status" ? fields.get("reason") : undefined];
  return word.find(
    (text): text is string =>
      typeof text === "string" && /^[A-Z][A-Za-z]*(?:_[A-Z]+)*$/.test(text) && text !== "Failure",
  );
}

/**
 * Fields that contain a code in some dialects and something else in others: only values in the form of a code count.
 */
function readWeakCode(fields: ReadonlyMap<string, unknown>, messageName: string): string | undefined {
  for (const name of weakCodeNames) {
    const value = fields.get(name);
    if (name === "statuscode" && typeof value === "number" && ownNumber.test(String(value)))
      return String(value);
    if (name !== messageName && typeof value === "string" && /^[A-Za-z]+(?:[_./-][A-Za-z]+)*$/.test(value)) {
      const isCode = /[_./-]/.test(value) || value === value.toLowerCase();
      if (isCode && !/^(?:req|trace)/.test(value)) return value;
    }
  }
  return undefined;
}

/** A code is a number or one word; documentation URLs and empty words don't count. */
function codeOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  if (typeof value !== "string" || /^(?:|error|about:blank)$/.test(value)) return undefined;
  if (value.includes("://")) return /#([A-Z][A-Z0-9_]{2,60})$/.exec(value)?.[1];
  if (/\s/.test(value) || value.length > 100) return undefined;
  return value.slice(value.lastIndexOf("#") + 1);
}

/** The text, or that of `{"lang": "en", "value": "…"}`. */
function textOf(value: unknown): string | undefined {
  if (isRecord(value) && typeof value["lang"] === "string") return textOf(value["value"]);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

/**
 * No known name: a single object or list inside (`{"itemNotFound": {…}}`, `{"email": ["…"]}`) may explain the error.
 */
function readUnknown(fields: ReadonlyMap<string, unknown>, depth: number): ErrorBody {
  for (const [name, value] of fields) {
    if (typeof value !== "object" || value === null) continue;
    const body = readValue(value, depth + 1);
    if (body.message === undefined) continue;
    return Array.isArray(value) ? { ...body, message: `${name}: ${body.message}` } : body;
  }
  return {};
}

function merge(first: ErrorBody, second: ErrorBody): ErrorBody {
  return { ...second, ...first };
}

function withMessage(message: string, ...bodies: readonly ErrorBody[]): ErrorBody {
  const first = bodies.find(({ code }) => code !== undefined);
  return filledFields({ code: first?.code, message: message === "" ? undefined : message });
}
