import type { ProviderFields, ToolCall, Usage } from "./completion.ts";
import type { Timing } from "./conversation.ts";
import type { SecretKind } from "../kernel/credential.ts";
import { errorReasons } from "../kernel/errors.ts";
import type { ErrorFacts, TokenCounts } from "../kernel/errors.ts";
import { isRecord, numberField, parseJson, parseJsonObject, stringField } from "../kernel/json.ts";
import { parseConversationSettings } from "./parseConversationSettings.ts";
import { secretKinds } from "../account/credentialKinds.ts";
import { parseOmission } from "./tooLong.ts";
import type { MessageDetails, DetailField } from "./messageFields.ts";

/** The JSON text of the column; absent fields are omitted. */
export function writeDetails(message: MessageDetails): string {
  const { toolCalls, seams } = message;
  const { toolCallId, model, usage, finishReason, error, timing, omitted, settings } = message;
  const { isDamaged, providerFields, isIncluded } = message;
  return JSON.stringify({
    toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
    toolCallId,
    model,
    usage,
    finishReason,
    error,
    seams: seams === undefined || seams.length === 0 ? undefined : seams,
    timing,
    omitted,
    settings,
    isDamaged,
    providerFields,
    isIncluded,
  } satisfies { readonly [F in DetailField]: unknown });
}

/** Parses the column as far as it is readable. */
export function parseDetails(column: unknown): MessageDetails {
  return parseDetailsValue(parseJson(column));
}

/** Parses message details from a value that was already parsed from JSON. */
export function parseDetailsValue(value: unknown): MessageDetails {
  if (!isRecord(value)) return { toolCalls: [] };
  const details: { -readonly [F in DetailField]?: MessageDetails[F] } = {};
  const read = <F extends DetailField>(field: F): void => {
    const parse: (value: unknown) => MessageDetails[F] | undefined = detailParsers[field];
    const detail = parse(value[field]);
    if (detail !== undefined) details[field] = detail;
  };
  Object.keys(detailParsers).filter(isDetail).forEach(read);
  return { ...details, toolCalls: details.toolCalls ?? [] };
}

/** Each parses one field as far as it is readable. */
const detailParsers: {
  readonly [F in DetailField]: (value: unknown) => MessageDetails[F] | undefined;
} = {
  toolCalls: (calls) => (Array.isArray(calls) ? calls.flatMap(parseToolCall) : []),
  toolCallId: parseText,
  model: parseText,
  usage: parseUsage,
  finishReason: parseText,
  error: parseError,
  seams: parseSeams,
  timing: parseTiming,
  omitted: parseOmission,
  settings: parseConversationSettings,
  isDamaged: parseFlag,
  providerFields: parseProviderFields,
  isIncluded: parseFlag,
};

function isDetail(name: string): name is DetailField {
  return Object.hasOwn(detailParsers, name);
}

function parseText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function parseFlag(value: unknown): true | undefined {
  return value === true ? true : undefined;
}

function parseToolCall(value: unknown): readonly ToolCall[] {
  if (!isRecord(value)) return [];
  const { id, name, arguments: argumentText } = value;
  const isCall = typeof id === "string" && typeof name === "string" && typeof argumentText === "string";
  const extra = parseJsonObject(value["extra"]);
  return isCall ? [{ id, name, arguments: argumentText, ...(extra === undefined ? {} : { extra }) }] : [];
}

function parseProviderFields(value: unknown): ProviderFields | undefined {
  if (!isRecord(value)) return undefined;
  const { baseUrl, model, reasoningNames } = value;
  if (typeof baseUrl !== "string" || typeof model !== "string") return undefined;
  const names = Array.isArray(reasoningNames)
    ? reasoningNames.filter((name) => typeof name === "string")
    : undefined;
  const members = parseJsonObject(value["members"]);
  return {
    baseUrl,
    model,
    ...(names === undefined ? {} : { reasoningNames: names }),
    ...(members === undefined ? {} : { members }),
  };
}

/** Parsed as far as it is readable. */
export function parseUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const names = [
    "promptTokens",
    "completionTokens",
    "totalTokens",
    "cachedTokens",
    "reasoningTokens",
  ] as const;
  return pickFields(value, names, numberField);
}

function parseSeams(value: unknown): readonly number[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const seams = value.filter((seam: unknown): seam is number => Number.isSafeInteger(seam));
  return seams.length === 0 ? undefined : seams;
}

function parseTiming(value: unknown): Timing | undefined {
  if (!isRecord(value)) return undefined;
  return pickFields(value, ["firstDeltaMs", "reasoningMs", "totalMs"], numberField);
}

/** Parsed as far as it is readable. */
export function parseError(value: unknown): ErrorFacts | undefined {
  if (!isRecord(value)) return undefined;
  const reason = stringField(value, "reason");
  const message = stringField(value, "message");
  if (reason === undefined || message === undefined) return undefined;
  const tokens = parseTokens(value["tokens"]);
  return {
    // A newer version may have written a reason that this one doesn't know.
    reason: errorReasons.find((known) => known === reason) ?? "service",
    message,
    ...pickFields(value, ["code", "serverMessage", "requestId", "request", "parameter", "link"], stringField),
    ...pickFields(value, ["statusCode", "retryAfterMs", "tokenLimit"], numberField),
    ...pickFields(value, ["credential"], secretKindField),
    ...(tokens === undefined ? {} : { tokens }),
    ...pickFields(value, ["scheme"], schemeField),
    ...pickFields(value, ["culprit"], culpritField),
  };
}

function schemeField(record: Readonly<Record<string, unknown>>, name: string): ErrorFacts["scheme"] {
  return (["http", "https"] as const).find((scheme) => scheme === record[name]);
}

function culpritField(record: Readonly<Record<string, unknown>>, name: string): ErrorFacts["culprit"] {
  return (["accessKey", "apiSecret"] as const).find((culprit) => culprit === record[name]);
}

function secretKindField(record: Readonly<Record<string, unknown>>, name: string): SecretKind | undefined {
  return secretKinds.find((kind) => kind === record[name]);
}

/** The fields with these names that have the right type. */
export function pickFields<Name extends string, Value>(
  record: Readonly<Record<string, unknown>>,
  names: readonly Name[],
  read: (record: Readonly<Record<string, unknown>>, name: string) => Value | undefined,
): { [name in Name]?: Value } {
  const fields: { [name in Name]?: Value } = {};
  for (const name of names) {
    const value = read(record, name);
    if (value !== undefined) fields[name] = value;
  }
  return fields;
}

function parseTokens(value: unknown): TokenCounts | undefined {
  return isRecord(value) ? pickFields(value, ["limit", "requested"], numberField) : undefined;
}
