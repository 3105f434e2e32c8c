import { secretKinds } from "../account/credentialKinds.ts";
import type { SecretKind } from "../kernel/credential.ts";
import { errorReasons, unsupportedInputs } from "../kernel/errors.ts";
import type { ErrorFacts, TokenCounts } from "../kernel/errors.ts";
import { isRecord, numberField, parseJson, parseJsonObject, stringField } from "../kernel/json.ts";
import type { ContentPart, ProviderFields, ToolCall, Usage } from "./completion.ts";
import type { Message, Timing } from "./conversation.ts";
import { parseConversationSettings } from "./conversation.ts";
import { parseQuotes } from "./quotes.ts";
import { parseSources } from "./sources.ts";
import { parseOmission } from "./tooLong.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** Parses content parts; invalid ones are skipped. */
export function parseContentParts(value: unknown): readonly ContentPart[] {
  return Array.isArray(value) ? value.flatMap(parseContentPart) : [];
}

type PartParser<T> = (value: Readonly<Record<string, unknown>>) => T | undefined;

/** Each without the title, which any part may have. */
const parsers: {
  readonly [T in ContentPart["type"]]: PartParser<Extract<ContentPart, { readonly type: T }>>;
} = {
  text(value) {
    const text = stringField(value, "text");
    return text === undefined ? undefined : { type: "text", text };
  },
  image(value) {
    const data = stringField(value, "data");
    const mediaType = stringField(value, "mediaType");
    return mediaType === undefined || data === undefined ? undefined : { type: "image", mediaType, data };
  },
  audio(value) {
    const data = stringField(value, "data");
    const { format } = value;
    return data === undefined || (format !== "wav" && format !== "mp3")
      ? undefined
      : { type: "audio", format, data };
  },
};

function parseContentPart(value: unknown): readonly ContentPart[] {
  const type = isRecord(value) ? value["type"] : undefined;
  if (!isRecord(value) || typeof type !== "string" || !isPartType(type)) return [];
  const part = parsers[type](value);
  const title = stringField(value, "title");
  return part === undefined ? [] : [title === undefined ? part : { ...part, title }];
}

function isPartType(type: string): type is ContentPart["type"] {
  return Object.hasOwn(parsers, type);
}

/**
 * How every field of a message reaches a page that already shows the message: with each change, by deltas, or not at
 * all because it is fixed.
 */
const messageFields = {
  id: "fixed",
  parentId: "fixed",
  role: "fixed",
  status: "change",
  createdAt: "fixed",
  text: "delta",
  attachments: "fixed",
  reasoning: "delta",
  toolCalls: "change",
  toolCallId: "fixed",
  model: "change",
  usage: "change",
  finishReason: "change",
  sources: "change",
  error: "change",
  seams: "fixed",
  timing: "change",
  omitted: "change",
  settings: "fixed",
  isIncluded: "fixed",
  isImported: "fixed",
  quotes: "fixed",
  providerFields: "fixed",
} as const satisfies Readonly<Record<keyof Message, "fixed" | "delta" | "change">>;

type Fields = typeof messageFields;
type ChangeField = {
  [F in keyof Fields]: Fields[F] extends "change" ? F : never;
}[keyof Fields];

/** The part of a message that its row stores as JSON, because it has no column of its own: small, and never searched. */
type MessageDetails = Omit<Message, ColumnField>;
type ColumnField = "id" | "parentId" | "role" | "status" | "createdAt" | "text" | "attachments" | "reasoning";
type DetailField = keyof MessageDetails;

/** The fields of a message that change besides its text. */
export type MessageChange = Pick<Message, ChangeField>;

const changeFields = Object.keys(messageFields).filter(isChangeField);

function isChangeField(name: string): name is ChangeField {
  return Object.entries(messageFields).some(([field, page]) => field === name && page === "change");
}

/** The fields that a page showing the message receives when it changes. */
export function changeOf(message: Message): MessageChange {
  const change: { -readonly [F in ChangeField]?: Message[F] } = {};
  const copy = <F extends ChangeField>(field: F): void => {
    if (message[field] !== undefined) change[field] = message[field];
  };
  changeFields.forEach(copy);
  return { ...change, status: message.status, toolCalls: message.toolCalls };
}

/** Whether both changes are equal. */
export function isSameChange(first: MessageChange, second: MessageChange): boolean {
  return changeFields.every((field) => JSON.stringify(first[field]) === JSON.stringify(second[field]));
}

/** The JSON text of the column; absent fields are omitted. */
export function writeDetails(message: MessageDetails): string {
  const { toolCalls, seams = [] } = message;
  const details = Object.keys(detailParsers)
    .filter(isDetail)
    .map((field) => [field, message[field]]);
  return JSON.stringify({
    ...Object.fromEntries(details),
    toolCalls: toolCalls.length === 0 ? undefined : toolCalls,
    seams: seams.length === 0 ? undefined : seams,
  });
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
  usage: parseStoredUsage,
  finishReason: parseText,
  error: parseError,
  seams: parseSeams,
  timing: parseTiming,
  omitted: parseOmission,
  settings: parseConversationSettings,
  providerFields: parseProviderFields,
  isIncluded: parseFlag,
  isImported: parseFlag,
  quotes: parseQuotes,
  sources: parseSources,
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
  return filledFields({ baseUrl, model, reasoningNames: names, members });
}

/** Parsed as far as it is readable. */
export function parseStoredUsage(value: unknown): Usage | undefined {
  if (!isRecord(value)) return undefined;
  const names = [
    "promptTokens",
    "completionTokens",
    "totalTokens",
    "cachedTokens",
    "cacheWriteTokens",
    "reasoningTokens",
    "cost",
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
    ...pickFields(value, ["input"], inputField),
    ...pickFields(value, ["scheme"], schemeField),
    ...pickFields(value, ["culprit"], culpritField),
  };
}

function schemeField(record: Readonly<Record<string, unknown>>, name: string): ErrorFacts["scheme"] {
  return (["http", "https"] as const).find((scheme) => scheme === record[name]);
}

function inputField(record: Readonly<Record<string, unknown>>, name: string): ErrorFacts["input"] {
  return unsupportedInputs.find((input) => input === record[name]);
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
