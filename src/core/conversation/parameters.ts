import { t } from "@vscode/l10n";
import { parseConversationSettings } from "./conversation.ts";
import type { ConversationSettings } from "./conversation.ts";

/** The numeric parameters that have their own field, by their names in the request body. */
export const numberParameters = [
  "temperature",
  "top_p",
  "max_tokens",
  "seed",
  "presence_penalty",
  "frequency_penalty",
] as const;

/** The name of a numeric parameter, as in the request body. */
export type NumberParameter = (typeof numberParameters)[number];

/** The allowed range of a number, including both ends. */
interface NumberLimits {
  readonly min: number;
  readonly max: number;
  readonly isInteger: boolean;
}

/** The limits that services agree on. The interface (section 2.1) contains only `max_tokens`, without limits. */
export const numberLimits: Readonly<Record<NumberParameter, NumberLimits>> = {
  temperature: { min: 0, max: 2, isInteger: false },
  top_p: { min: 0, max: 1, isInteger: false },
  max_tokens: { min: 1, max: Number.MAX_SAFE_INTEGER, isInteger: true },
  seed: { min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER, isInteger: true },
  presence_penalty: { min: -2, max: 2, isInteger: false },
  frequency_penalty: { min: -2, max: 2, isInteger: false },
};

/** Fields of the body that have their own form field. */
export const parametersWithField: ReadonlySet<string> = new Set<string>([
  ...numberParameters,
  "stop",
  "reasoning_effort",
  "response_format",
]);

/** Fields of the body that the chat itself writes. */
export const parametersOfChat: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "n",
]);

/** The name of the parameter in the chat settings. */
export function numberLabel(name: NumberParameter): string {
  switch (name) {
    case "temperature":
      return t("Temperature");
    case "top_p":
      return t("Top P");
    case "max_tokens":
      return t("Max tokens");
    case "seed":
      return t("Seed");
    case "presence_penalty":
      return t("Presence penalty");
    case "frequency_penalty":
      return t("Frequency penalty");
  }
}

/** Parses settings that a user wrote: anything that no request may contain, and anything empty, counts as unset. */
export function parseSettings(value: unknown): ConversationSettings {
  const { systemPrompt, parameters = {}, tools, whenTooLong } = parseConversationSettings(value) ?? {};
  const sendable = Object.entries(parameters).filter(([name]) => !parametersOfChat.has(name));
  return {
    ...(systemPrompt === undefined || systemPrompt.trim() === "" ? {} : { systemPrompt }),
    ...(sendable.length === 0 ? {} : { parameters: Object.fromEntries(sendable) }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(whenTooLong === undefined ? {} : { whenTooLong }),
  };
}
