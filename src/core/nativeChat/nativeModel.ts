import { t } from "@vscode/l10n";
import type { Model } from "../conversation/completion.ts";
import { supports } from "../conversation/modelCapabilities.ts";
import { findPrice, formatCost } from "../conversation/prices.ts";
import type { Price, PriceTable } from "../conversation/prices.ts";
import { formatNumber } from "../kernel/formatNumber.ts";

/** A model as VS Code lists it. Names as in VS Code's language model API. */
export interface NativeModel {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly detail: string;
  readonly tooltip: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: { readonly imageInput: boolean; readonly toolCalling: boolean };
  /** The name of the profile, and the ID of the model at its service. */
  readonly profile: string;
  readonly model: string;
  /** VS Code scales its context ring with it. */
  readonly maxContextWindowTokens: number;
  readonly isUserSelectable: true;
}

/** Tokens that are assumed if the server doesn't report the context window. */
const usualContext = 128_000;
/** VS Code assumes this many tokens of output for the models of extensions. */
const usualOutput = 8_192;

/** @param profile The name of the profile that offers the model. */
export function nativeModel(
  model: Model,
  profile: string,
  { prices, locale }: { readonly prices: PriceTable; readonly locale: string | undefined },
): NativeModel {
  const context = model.contextLength ?? usualContext;
  const maxOutputTokens = Math.min(usualOutput, Math.floor(context / 2));
  return {
    id: JSON.stringify([profile, model.id]),
    name: model.name ?? model.id,
    family: model.id,
    version: "1",
    detail: profile,
    tooltip: tooltip(model, profile, findPrice(model.id, prices), locale),
    maxInputTokens: context - maxOutputTokens,
    maxOutputTokens,
    // Servers don't report whether a model can call tools; one that can't reports it as an error.
    capabilities: { imageInput: supports(model, "image") === true, toolCalling: true },
    profile,
    model: model.id,
    maxContextWindowTokens: context,
    isUserSelectable: true,
  };
}

function tooltip(
  { id, contextLength }: Model,
  profile: string,
  price: Price | undefined,
  locale: string | undefined,
): string {
  return [
    t("{0} from the profile “{1}”", id, profile),
    contextLength === undefined
      ? t("Context window: not reported, {0} tokens assumed", formatNumber(usualContext, locale))
      : t("Context window: {0} tokens", formatNumber(contextLength, locale)),
    ...priceLine(price, locale),
  ].join("\n");
}

function priceLine(price: Price | undefined, locale: string | undefined): readonly string[] {
  if (price?.input === undefined || price.output === undefined) return [];
  const cost = (amount: number): string => formatCost({ amount, currency: price.currency }, locale);
  return [t("Price of a million tokens: {0} input, {1} output", cost(price.input), cost(price.output))];
}
