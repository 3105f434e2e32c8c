import { t } from "@vscode/l10n";
import { formatNumber } from "../../kernel/formatTime.ts";
import { percentEncode } from "../../kernel/httpAddress.ts";
import {
  isRecord,
  mapStrings,
  numberField,
  parseJson,
  parseJsonObject,
  stringField,
} from "../../kernel/json.ts";
import type { JsonValue } from "../../kernel/json.ts";
import { fieldName } from "../fieldName.ts";
import { recordValues } from "../filter/recordValues.ts";
import { maskRecord, maskSecretText } from "../secretMask.ts";
import { readParameters, readRequestPath, requestMethods } from "./signedRequest.ts";
import type { RequestMethod, RequestParameter, SignedRequestDraft } from "./signedRequest.ts";

/** A request that was sent before, without secrets. */
export interface HistoryEntry {
  readonly profileName: string;
  readonly draft: SignedRequestDraft;
  /** HTTP status; absent without a response. */
  readonly statusCode?: number;
}

const maxEntries = 20;
/** A longer body is sent but not stored. */
const maxBody = 20_000;

/** The history with the request at the top, containing each request only once. */
export function addToHistory(history: readonly HistoryEntry[], entry: HistoryEntry): readonly HistoryEntry[] {
  const kept = withoutSecrets(entry);
  const key = keyOf(kept);
  return [kept, ...history.filter((other) => keyOf(other) !== key)].slice(0, maxEntries);
}

function keyOf({ profileName, draft }: HistoryEntry): string {
  const { base, method, path, parameters, body } = draft;
  return JSON.stringify([profileName, base, method, path, parameters, body]);
}

/** Anything that looks like a secret is removed completely, because a masked value couldn't be sent again. */
function withoutSecrets(entry: HistoryEntry): HistoryEntry {
  const { base, method, path, parameters, body } = entry.draft;
  const draft: SignedRequestDraft = {
    ...(base === undefined ? {} : { base }),
    method,
    path: maskSecretText(path),
    parameters: parameters.filter(
      ([name, value]) => maskSecretText(`${name}=${value}`) === `${name}=${value}`,
    ),
    ...(body === undefined || !isHarmless(body) ? {} : { body }),
  };
  return { ...entry, draft };
}

function isHarmless(body: string): boolean {
  if (body.length > maxBody || maskSecretText(body) !== body) return false;
  try {
    const value: unknown = JSON.parse(body);
    return JSON.stringify(maskRecord(value)) === JSON.stringify(value);
  } catch {
    return false;
  }
}

/** Parses the stored history; invalid entries are ignored. */
export function parseHistory(value: unknown): readonly HistoryEntry[] {
  const entries: readonly unknown[] = Array.isArray(value) ? value : [];
  return entries.flatMap((entry) => parseEntry(entry) ?? []).slice(0, maxEntries);
}

function parseEntry(value: unknown): HistoryEntry | undefined {
  if (!isRecord(value) || !isRecord(value["draft"])) return undefined;
  const { draft } = value;
  const profileName = stringField(value, "profileName");
  const method = requestMethods.find((known) => known === draft["method"]);
  const path = stringField(draft, "path");
  if (profileName === undefined || method === undefined || path?.startsWith("/") !== true) return undefined;
  const body = stringField(draft, "body");
  const base = draft["base"] === "inference" ? { base: "inference" as const } : {};
  const statusCode = numberField(value, "statusCode");
  return {
    profileName,
    draft: {
      ...base,
      method,
      path,
      parameters: parseParameters(draft["parameters"]),
      ...(body === undefined ? {} : { body }),
    },
    ...(statusCode === undefined ? {} : { statusCode }),
  };
}

function parseParameters(value: unknown): readonly RequestParameter[] {
  const pairs: readonly unknown[] = Array.isArray(value) ? value : [];
  return pairs.flatMap((pair) => {
    const [name, text]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    return typeof name === "string" && typeof text === "string" ? [[name, text] as const] : [];
  });
}

/** A request that the user has saved. `{field}` in its path, its query and its body is a field of a server's record. */
export interface SavedRequest {
  readonly name: string;
  readonly base: "gateway" | "inference";
  readonly method: RequestMethod;
  readonly path: string;
  readonly parameters: readonly RequestParameter[];
  readonly body?: JsonValue;
  /** Shown before it is sent. */
  readonly confirmation?: string;
}

const longestName = 100;
const mostRequests = 200;

/** Reads the setting. A request that can't be used is left out, and described by a sentence. */
export function readSavedRequests(setting: unknown): {
  readonly requests: readonly SavedRequest[];
  readonly problems: readonly string[];
} {
  const entries: readonly unknown[] = Array.isArray(setting) ? setting.slice(0, mostRequests) : [];
  const readings = entries.map((entry, index) => readSaved(entry, index + 1));
  return {
    requests: readings.flatMap((reading) => (typeof reading === "string" ? [] : [reading])),
    problems: readings.filter((reading) => typeof reading === "string"),
  };
}

function readSaved(entry: unknown, position: number): SavedRequest | string {
  const name = isRecord(entry) ? (stringField(entry, "name")?.trim() ?? "") : "";
  if (!isRecord(entry) || name === "" || name.length > longestName) {
    return t(
      "Saved request {0} needs a name of up to {1} characters.",
      String(position),
      formatNumber(longestName),
    );
  }
  const method = requestMethods.find((known) => known === entry["method"]);
  if (method === undefined) {
    return t("The saved request “{0}” needs a method: {1}.", name, requestMethods.join(", "));
  }
  const path = readRequestPath(stringField(entry, "path") ?? "");
  if ("problem" in path) return t("The saved request “{0}” can't be used: {1}", name, path.problem);
  const query = readParameters(stringField(entry, "query") ?? "");
  if ("problem" in query) return t("The saved request “{0}” can't be used: {1}", name, query.problem);
  const body = parseJsonObject({ body: entry["body"] })?.["body"];
  const confirmation = stringField(entry, "confirmation")?.trim();
  return {
    name,
    base: entry["base"] === "inference" ? "inference" : "gateway",
    method,
    path: path.path,
    parameters: [...path.parameters, ...query.parameters],
    ...(body === undefined ? {} : { body }),
    ...(confirmation ? { confirmation } : {}),
  };
}

/** The request as an entry of the setting. */
export function formatSavedRequest(
  name: string,
  { base, method, path, parameters, body }: SignedRequestDraft,
  confirmation: string,
): Readonly<Record<string, unknown>> {
  const query = parameters.map(([key, value]) => `${percentEncode(key)}=${percentEncode(value)}`).join("&");
  const json = body === undefined ? undefined : parseJson(body);
  return {
    name,
    ...(base === "inference" ? { base } : {}),
    method,
    path,
    ...(query === "" ? {} : { query }),
    ...(json === undefined ? {} : { body: json }),
    ...(confirmation.trim() === "" ? {} : { confirmation: confirmation.trim() }),
  };
}

/**
 * Whether the JSON text has an integer that a setting would change, because VS Code reads numbers with 53 bits: a long
 * ID would become another one.
 */
export function hasInexactInteger(json: string): boolean {
  for (let at = 0; at < json.length; at++) {
    const start = at;
    if (json[at] === '"') for (at++; at < json.length && json[at] !== '"'; at++) if (json[at] === "\\") at++;
    while (at < json.length && /[\d+.eE-]/.test(json[at] ?? "")) at++;
    const text = json.slice(start, at);
    if (/^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text))) return true;
  }
  return false;
}

const field = /\{([\w./*~-]{1,200})\}/g;

/** Whether the request needs a server's record. */
export function needsRecord(request: SavedRequest): boolean {
  return fieldsOf(request).length > 0;
}

function fieldsOf({ path, parameters, body }: SavedRequest): readonly string[] {
  const texts = [path, ...parameters.flat(), body === undefined ? "" : JSON.stringify(body)];
  return [...new Set(texts.flatMap((text) => [...text.matchAll(field)].map(([, name = ""]) => name)))];
}

/**
 * The request with the fields of the record filled in. A value can't change the structure of the request: in the path
 * it is one segment, in the query one value, and in the body one string, number or boolean.
 */
export function fillSavedRequest(
  request: SavedRequest,
  record: unknown,
): { readonly draft: SignedRequestDraft } | { readonly problem: string } {
  const values = new Map<string, string>();
  for (const name of fieldsOf(request)) {
    const value = readField(record, name);
    if (value === undefined) {
      return {
        problem: t(
          "“{0}” can't be sent: the record of this server has no single value for {1}.",
          request.name,
          `{${name}}`,
        ),
      };
    }
    values.set(name, value);
  }
  const { base, method, body } = request;
  const path = request.path.replaceAll(field, (_, name: string) => percentEncode(values.get(name) ?? ""));
  const reading = readRequestPath(path);
  if ("problem" in reading || path.split("/").some((segment) => /^(?:\.|%2e){1,2}$/i.test(segment))) {
    return {
      problem: t("“{0}” can't be sent: a value from the record doesn't fit into the path.", request.name),
    };
  }
  const fill = (text: string): string => text.replaceAll(field, (_, name: string) => values.get(name) ?? "");
  return {
    draft: {
      ...(base === "inference" ? { base } : {}),
      method,
      path: reading.path,
      parameters: request.parameters.map(([name, value]) => [fill(name), fill(value)]),
      ...(body === undefined ? {} : { body: JSON.stringify(mapStrings(body, fill)) }),
    },
  };
}

/** A field of the record itself takes precedence over those inside of it. Secrets aren't filled in. */
function readField(record: unknown, name: string): string | undefined {
  const own = isRecord(record)
    ? Object.keys(record).find((key) => fieldName(key) === fieldName(name))
    : undefined;
  const scoped = isRecord(record) && own !== undefined ? { [own]: record[own] } : record;
  const found = new Set(recordValues(scoped, name));
  const [value] = found;
  return found.size === 1 && value !== "" ? value : undefined;
}
