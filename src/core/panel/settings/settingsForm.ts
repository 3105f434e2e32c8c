import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../conversation/conversation.ts";
import {
  numberLabel,
  numberLimits,
  numberParameters,
  parametersOfChat,
  parametersWithField,
} from "../../conversation/parameters.ts";
import type { NumberParameter } from "../../conversation/parameters.ts";
import { parseTooLongPolicy } from "../../conversation/tooLong.ts";
import { isRecord, parseJsonObject } from "../../kernel/json.ts";
import type { JsonObject, JsonValue } from "../../kernel/json.ts";
import type { ChatPreferences } from "./chatPreferences.ts";

/** Settings as typed into the fields of a form. An empty field is not sent. */
export interface SettingsForm extends Readonly<Record<NumberParameter, string>> {
  readonly systemPrompt: string;
  /** One sequence per line. */
  readonly stop: string;
  readonly reasoning_effort: string;
  /** The `type` of the response format. */
  readonly response_format: string;
  /** A policy; empty for the one in the user's settings. */
  readonly whenTooLong: string;
  /** All other fields, as JSON. */
  readonly other: string;
}

/** A field of the chat settings that a problem can refer to. */
export type SettingsField = keyof SettingsForm;

/** The settings, or a sentence for each invalid field that explains the problem. */
export type FormResult =
  | { readonly isValid: true; readonly settings: ConversationSettings }
  | { readonly isValid: false; readonly problems: Readonly<Partial<Record<SettingsField, string>>> };

/** The form filled with the settings of a conversation. */
export function createSettingsForm({
  systemPrompt,
  whenTooLong,
  parameters = {},
}: ConversationSettings): SettingsForm {
  const format = parameters["response_format"];
  return {
    temperature: textOf(parameters["temperature"]),
    top_p: textOf(parameters["top_p"]),
    max_tokens: textOf(parameters["max_tokens"]),
    seed: textOf(parameters["seed"]),
    presence_penalty: textOf(parameters["presence_penalty"]),
    frequency_penalty: textOf(parameters["frequency_penalty"]),
    systemPrompt: systemPrompt ?? "",
    stop: formatStops(parameters["stop"]),
    reasoning_effort: textOf(parameters["reasoning_effort"]),
    response_format: isRecord(format) ? textOf(format["type"]) : "",
    whenTooLong: whenTooLong ?? "",
    other: otherText(parameters),
  };
}

/**
 * Reads the form.
 * @param base The conversation's current settings: the form doesn't show its tools and the schema of its response
 * format.
 */
export function readSettingsForm(form: SettingsForm, base: ConversationSettings): FormResult {
  const numbers = numberParameters.map((name) => [name, readNumber(name, form[name])] as const);
  const other = readOther(form.other);
  const problems = Object.fromEntries(
    [...numbers, ["other", other] as const].flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
  if (typeof other === "string" || Object.keys(problems).length > 0) return { isValid: false, problems };
  const whenTooLong = parseTooLongPolicy(form.whenTooLong);
  const given = numbers.filter((entry): entry is [NumberParameter, number] => typeof entry[1] === "number");
  const parameters = { ...Object.fromEntries(given), ...readWords(form, base), ...other };
  return {
    isValid: true,
    settings: {
      ...(form.systemPrompt.trim() === "" ? {} : { systemPrompt: form.systemPrompt }),
      ...(Object.keys(parameters).length === 0 ? {} : { parameters }),
      ...(base.tools === undefined ? {} : { tools: base.tools }),
      ...(whenTooLong === undefined ? {} : { whenTooLong }),
    },
  };
}

function readWords(form: SettingsForm, base: ConversationSettings): JsonObject {
  const stop = parseStops(form.stop);
  const effort = form.reasoning_effort.trim();
  const format = form.response_format;
  const before = base.parameters?.["response_format"];
  const isKept = isRecord(before) && before["type"] === format;
  return {
    ...(stop.length === 0 ? {} : { stop }),
    ...(effort === "" ? {} : { reasoning_effort: effort }),
    ...(format === "" ? {} : { response_format: isKept && before !== undefined ? before : { type: format } }),
  };
}

/** The number, undefined if the field is empty, or what is wrong with it. */
function readNumber(name: NumberParameter, text: string): number | undefined | string {
  const written = text.trim();
  if (written === "") return undefined;
  // As people write it: with a decimal comma in many languages.
  const value = Number(written.replace(",", "."));
  const { min, max, isInteger } = numberLimits[name];
  if (value >= min && value <= max && (!isInteger || Number.isInteger(value))) return value;
  const label = numberLabel(name);
  if (!isInteger) return t("{0} must be a number from {1} to {2}.", label, String(min), String(max));
  return min === 1
    ? t("{0} must be a whole number of at least 1.", label)
    : t("{0} must be a whole number.", label);
}

/** The fields, or what is wrong with them. */
function readOther(text: string): JsonObject | string {
  if (text.trim() === "") return {};
  const members = parseJsonText(text);
  if (members === undefined) return t("This must be a JSON object, such as {0}.", '{"top_k": 40}');
  const names = Object.keys(members);
  const twice = names.find((name) => parametersWithField.has(name));
  if (twice !== undefined) return t("“{0}” has its own field above.", twice);
  const ours = names.find((name) => parametersOfChat.has(name));
  if (ours !== undefined) return t("“{0}” is set automatically by the chat.", ours);
  return members;
}

function parseJsonText(text: string): JsonObject | undefined {
  try {
    return parseJsonObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function otherText(parameters: JsonObject): string {
  const others = Object.entries(parameters).filter(([name]) => !parametersWithField.has(name));
  return others.length === 0 ? "" : JSON.stringify(Object.fromEntries(others), null, 2);
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/**
 * One sequence per line; a line break inside a sequence is written as `\n`, a tab as `\t`, a backslash before these as
 * `\\`.
 */
function parseStops(text: string): readonly string[] {
  return text
    .split(/\r?\n/)
    .filter((line) => line !== "")
    .map((line) =>
      line.replace(/\\(\\|n|t)/g, (_, letter: string) =>
        letter === "n" ? "\n" : letter === "t" ? "\t" : "\\",
      ),
    );
}

function formatStops(value: JsonValue | undefined): string {
  const stops: readonly unknown[] = typeof value === "string" ? [value] : Array.isArray(value) ? value : [];
  return stops
    .filter((stop) => typeof stop === "string")
    .map((stop) =>
      stop
        .replace(/\\(?=[\\nt])/g, "\\\\")
        .replaceAll("\n", "\\n")
        .replaceAll("\t", "\\t"),
    )
    .join("\n");
}

/** Host to page: messages about the settings of the conversation. */
export type SettingsMessage =
  | { readonly type: "settings"; readonly settings: ConversationSettings }
  | { readonly type: "preferences"; readonly preferences: ChatPreferences }
  /** Opens the form with this field focused. */
  | { readonly type: "editSettings"; readonly field: SettingsField };
