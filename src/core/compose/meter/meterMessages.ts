import { t } from "@vscode/l10n";
import type { Omission, UnsupportedFeature } from "../../conversation/tooLong.ts";
import { formatNumber } from "../../kernel/formatNumber.ts";
import { excessTokens } from "./conversationMeter.ts";
import type { MeterReading } from "./conversationMeter.ts";
import { totalTokens } from "./countTokens.ts";
import type { TokenParts } from "./countTokens.ts";

/** The texts of a meter. */
export interface MeterMessages {
  /** A few characters for the composer's bar. */
  readonly words: string;
  /** The full sentence behind the abbreviated text. */
  readonly label: string;
  /** Share of the context window, from 0; undefined if the model's context window isn't known. */
  readonly share?: number;
  readonly isTooLong: boolean;
  readonly rows: readonly { readonly label: string; readonly value: string }[];
}

export function meterMessages(parts: TokenParts, reading: MeterReading, locale?: string): MeterMessages {
  const total = totalTokens(parts);
  const { contextLength, reserved } = reading;
  const number = (value: number): string => formatNumber(value, locale);
  const excess = excessTokens(parts, reading);
  const short = (value: number): string => formatNumber(value, locale, { notation: "compact" });
  return {
    words: contextLength === undefined ? `~${short(total)}` : `~${short(total)} / ${short(contextLength)}`,
    label: sentence(
      { total: number(total), excess: number(excess), isTooLong: excess > 0 },
      contextLength,
      number,
    ),
    ...(contextLength === undefined ? {} : { share: (total + reserved) / contextLength }),
    isTooLong: excess > 0,
    rows: meterRows(parts, reading, locale),
  };
}

/** The parts that are not empty, and the model's context window. */
export function meterRows(
  parts: TokenParts,
  { contextLength, reserved }: MeterReading,
  locale?: string,
): MeterMessages["rows"] {
  const row = (label: string, tokens: number | undefined): MeterMessages["rows"] =>
    tokens === undefined || tokens === 0 ? [] : [{ label, value: formatNumber(tokens, locale) }];
  return [
    ...row(t("System prompt"), parts.system),
    ...row(t("Earlier messages"), parts.history),
    ...row(t("Files"), parts.files),
    ...row(t("Images"), parts.images),
    ...row(t("Audio"), parts.audio),
    ...row(t("Tools and response format"), parts.tools),
    ...row(t("This message"), parts.draft),
    ...row(t("Reserved for the response"), reserved),
    ...row(t("Context window"), contextLength),
  ];
}

function sentence(
  {
    total,
    excess,
    isTooLong,
  }: { readonly total: string; readonly excess: string; readonly isTooLong: boolean },
  contextLength: number | undefined,
  number: (value: number) => string,
): string {
  if (contextLength === undefined) return t("About {0} tokens (context window unknown)", total);
  const context = number(contextLength);
  return isTooLong
    ? t("About {0} tokens, {1} over the model's {2}-token context window", total, excess, context)
    : t("About {0} of {1} tokens", total, context);
}

/** Explains what was left out of a request. */
export function omissionMessage(omission: Omission, locale?: string): string {
  const { turns, files, images = 0, parameters = [], unsupported = [] } = omission;
  const unseen =
    images === 0
      ? []
      : images === 1
        ? [t("1 tool image was left out because the model may not support image input.")]
        : [t("{0} tool images were left out because the model may not support image input.", images)];
  return [
    ...(turns + files === 0 ? [] : [unfitText(omission, locale)]),
    ...unseen,
    ...(parameters.length === 0 ? [] : [rejectedText(parameters)]),
    ...unsupported.map(unsupportedText),
  ].join(" ");
}

function unsupportedText(feature: UnsupportedFeature): string {
  switch (feature) {
    case "tools":
      return t("The tools weren't sent because this model doesn't support them.");
    case "schema":
      return t("The response format wasn't sent because this model doesn't support JSON schemas.");
  }
}

function rejectedText(parameters: readonly string[]): string {
  const names = parameters.map((name) => `“${name}”`).join(", ");
  return parameters.length === 1
    ? t("The parameter {0} wasn't sent because this model rejected it recently.", names)
    : t("The parameters {0} weren't sent because this model rejected them recently.", names);
}

function unfitText({ turns, files, tokens }: Omission, locale: string | undefined): string {
  const about = formatNumber(tokens, locale);
  if (files === 0 && turns === 1)
    return t("To fit the context window, the oldest turn (about {0} tokens) was left out.", about);
  if (files === 0)
    return t(
      "To fit the context window, the {0} oldest turns (about {1} tokens) were left out.",
      turns,
      about,
    );
  if (turns === 0 && files === 1)
    return t(
      "To fit the context window, 1 file from an earlier turn (about {0} tokens) was left out.",
      about,
    );
  if (turns === 0)
    return t(
      "To fit the context window, {0} files from earlier turns (about {1} tokens) were left out.",
      files,
      about,
    );
  return t(
    "To fit the context window, the oldest turns ({1}) and files from other turns ({0}) were left out (about {2} tokens).",
    files,
    turns,
    about,
  );
}
