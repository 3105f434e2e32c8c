import { isRecord, numberField, stringField } from "../../kernel/json.ts";
import { maskRecord, maskSecretText } from "../secretMask.ts";
import { requestMethods } from "./signedRequest.ts";
import type { RequestParameter, SignedRequestDraft } from "./signedRequest.ts";

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
