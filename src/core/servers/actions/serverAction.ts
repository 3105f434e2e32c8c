import { t } from "@vscode/l10n";
import * as v from "valibot";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { readHttpAddress } from "../../kernel/httpAddress.ts";
import { isRecord, parseJsonObject } from "../../kernel/json.ts";
import type { JsonValue } from "../../kernel/json.ts";
import type { Server, ServerStatus } from "../server.ts";
import { parametersText, readParameters, readRequestPath, requestMethods } from "./signedRequest.ts";
import type { RequestMethod, RequestParameter } from "./signedRequest.ts";

/** What an action is for. Menus are static, so that all but the first three share one list. */
export const actionKinds = ["start", "stop", "reboot", "other"] as const;
/** Where an action is offered. */
export type ActionKind = (typeof actionKinds)[number];

/** One request that a cloud offers for a server, with what the user should know before it is sent. */
export interface ServerAction {
  readonly kind: ActionKind;
  readonly name: string;
  readonly method: RequestMethod;
  /** Below the gateway URL. `{field}` is a value of the server's record. */
  readonly path: string;
  /** The fields whose values are paths of their own, such as an ID with slashes. */
  readonly pathParameters: readonly string[];
  readonly query: readonly RequestParameter[];
  /** A string that consists of `{field}` alone is replaced by the value. */
  readonly body?: JsonValue;
  /** The server's own words for the states in which it is offered; empty for those that the kind implies. */
  readonly appliesTo: readonly string[];
  /** The server's own words for the state that it leads to. */
  readonly doneWhen: readonly string[];
  readonly billing?: string;
  readonly data?: string;
  readonly capacity?: string;
  /** A further text to confirm. */
  readonly confirmation?: string;
}

/** What a profile's cloud offers for its servers. */
export interface CloudActions {
  /** The page of a server in the cloud's console, with `{field}`. */
  readonly console?: string;
  readonly actions: readonly ServerAction[];
  /** A sentence for each entry that can't be used. */
  readonly problems: readonly string[];
}

const longestName = 100;
const longestText = 500;
const longestBody = 10_000;
const deepestBody = 20;
const mostActions = 100;
/** The name of a field, a dotted path or a JSON pointer. */
const placeholder = /\{([\w./*~-]{1,200})\}/g;
const wholePlaceholder = /^\{([\w./*~-]{1,200})\}$/;

/** The field that the text consists of; undefined if it is literal. */
export function placeholderOf(text: string): string | undefined {
  return wholePlaceholder.exec(text)?.[1];
}

/** The path or the link with its fields replaced. */
export function fillPlaceholders(text: string, value: (field: string) => string): string {
  return text.replaceAll(placeholder, (_, field: string) => value(field));
}

/** One line that shows exactly what it contains, because the user confirms it. */
const line = (most: number) =>
  v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(most), v.regex(/^[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u));
const text = v.optional(line(longestText));
const words = v.optional(v.pipe(v.array(line(longestName)), v.maxLength(20)), []);

const actionEntry = v.strictObject({
  kind: v.picklist(actionKinds),
  name: line(longestName),
  method: v.picklist(requestMethods),
  path: line(2_000),
  pathParameters: words,
  query: v.optional(v.record(v.string(), line(2_000)), {}),
  body: v.optional(v.unknown()),
  appliesTo: words,
  doneWhen: words,
  billing: text,
  data: text,
  capacity: text,
  confirmation: text,
});

/** Reads the actions of a profile or a file: `{"console": …, "actions": […]}`. */
export function readCloudActions(value: unknown): CloudActions {
  const entries: unknown = isRecord(value) ? value["actions"] : undefined;
  const link: unknown = isRecord(value) ? value["console"] : undefined;
  const list: readonly unknown[] = Array.isArray(entries) ? entries : [];
  const readings = list.slice(0, mostActions).map((entry, index) => readAction(entry, index));
  const isLink = typeof link === "string" && isConsoleLink(link);
  const problems = readings.filter((reading) => typeof reading === "string");
  return {
    actions: readings.filter((reading) => typeof reading !== "string"),
    ...(isLink ? { console: link } : {}),
    problems: [
      ...problems,
      ...(list.length > mostActions
        ? [t("Only the first {0} actions are used.", formatNumber(mostActions))]
        : []),
      ...(link === undefined || isLink
        ? []
        : [t("“console” must be an http:// or https:// link whose host contains no field.")]),
    ],
  };
}

function isConsoleLink(link: string): boolean {
  const [, start = "", rest = ""] = /^(https?:\/\/[^/?#{}\\@\s]+)([/?#].*)?$/i.exec(link) ?? [];
  if (/[\p{Cc}\p{Cf}\s]/u.test(rest) || link.length > 2_000) return false;
  return "address" in readHttpAddress(start);
}

/** The action, or a sentence that explains why it can't be used. */
function readAction(entry: unknown, index: number): ServerAction | string {
  const own = isRecord(entry) && typeof entry["name"] === "string" ? sanitizeLabel(entry["name"], 60) : "";
  const name = own === "" ? t("Action {0}", String(index + 1)) : own;
  const problem = (why: string): string => t("“{0}” can't be used: {1}", name, why);
  const parsed = v.safeParse(actionEntry, entry, { abortEarly: true });
  if (!parsed.success) {
    const field = sanitizeLabel(v.getDotPath(parsed.issues[0]) ?? "", 60);
    return problem(
      field === ""
        ? t("it must be an object with kind, name, method, and path.")
        : t("“{0}” is missing, unknown, too long, or has invisible characters.", field),
    );
  }
  const { body: tree, query, billing, data, capacity, confirmation, ...action } = parsed.output;
  const path = readTemplate(action.path, action.pathParameters);
  if (path !== undefined) return problem(path);
  const parameters = Object.entries(query);
  const names = readParameters(parametersText(parameters));
  if ("problem" in names) return problem(names.problem);
  if (parameters.some(([parameter]) => /[\p{Cc}\p{Cf}{}]/u.test(parameter)))
    return problem(t("the name of a query parameter has invalid characters."));
  const isBodiless = action.method === "GET" || action.method === "HEAD";
  const why = tree === undefined ? undefined : bodyProblemOf(tree, isBodiless);
  if (why !== undefined) return problem(why);
  const body = parseJsonObject({ body: tree })?.["body"];
  const texts = Object.entries({ billing, data, capacity, confirmation }).filter(
    ([, each]) => each !== undefined,
  );
  return {
    ...action,
    query: parameters,
    ...(body === undefined ? {} : { body }),
    ...Object.fromEntries(texts),
  };
}

/** Whatever the values are, the path stays below the gateway's. */
function readTemplate(path: string, pathParameters: readonly string[]): string | undefined {
  const first = /^\{([^}]*)\}/.exec(path)?.[1];
  const isPathFirst = first !== undefined && pathParameters.includes(first);
  const filled = fillPlaceholders(path, () => "x");
  const reading = readRequestPath(isPathFirst ? `/${filled}` : filled);
  if ("problem" in reading) return reading.problem;
  if (reading.parameters.length > 0 || path.includes("?"))
    return t("parameters belong in “query”, not in the path.");
  return /[{}]/.test(filled) ? t("the path has a brace that encloses no field.") : undefined;
}

function bodyProblemOf(tree: unknown, isBodiless: boolean): string | undefined {
  if (isBodiless) return t("a GET or HEAD request has no body.");
  if (!isPlainTree(tree, 0))
    return t(
      "its body is nested too deeply, has invisible characters, or has a number that a setting can't store exactly.",
    );
  return JSON.stringify(tree).length > longestBody
    ? t("its body is longer than {0} characters.", formatNumber(longestBody))
    : undefined;
}

/** Line feeds and tabs are written as escapes where the body is shown; other characters could hide something. */
function isPlainTree(value: unknown, depth: number): boolean {
  if (depth > deepestBody) return false;
  const isPlain = (each: string): boolean => !/[^\P{Cc}\n\t]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u.test(each);
  if (typeof value === "string") return isPlain(value);
  if (typeof value === "number") return !Number.isInteger(value) || Number.isSafeInteger(value);
  if (Array.isArray(value)) return value.every((item) => isPlainTree(item, depth + 1));
  if (!isRecord(value)) return true;
  return Object.entries(value).every(([name, member]) => isPlain(name) && isPlainTree(member, depth + 1));
}

const impliedStatuses: Readonly<Record<ActionKind, readonly ServerStatus[]>> = {
  start: ["stopped"],
  stop: ["running"],
  reboot: ["running", "error"],
  other: ["error", "starting", "stopping", "running", "stopped", "unknown"],
};

/** Compares words as clouds write them: `PowerState/running`, `RUNNING` and `stopped_in_place`. */
function normalizeWord(word: string): string {
  return word
    .slice(word.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(/[\s_-]+/g, " ")
    .trim();
}

function hasWord(words: readonly string[], { statusText, status }: Server): boolean {
  const own = normalizeWord(statusText?.value ?? status);
  return words.some((word) => normalizeWord(word) === own);
}

/** Whether the action is offered for a server in this state. Without an ID, it could reach another server. */
export function appliesTo({ kind, appliesTo: states }: ServerAction, server: Server): boolean {
  if (server.id === undefined) return false;
  return states.length === 0 ? impliedStatuses[kind].includes(server.status) : hasWord(states, server);
}

/** Whether the list shows what the action leads to. */
export function isDone({ kind, doneWhen }: Pick<ServerAction, "kind" | "doneWhen">, server: Server): boolean {
  if (doneWhen.length > 0) return hasWord(doneWhen, server);
  const states: Readonly<Record<ActionKind, readonly ServerStatus[]>> = {
    start: ["running"],
    stop: ["stopped"],
    reboot: ["running"],
    other: [],
  };
  return states[kind].includes(server.status);
}
