import { t } from "@vscode/l10n";
import * as v from "valibot";
import { optionsOfModel, reasoningEfforts } from "../account/modelOptions.ts";
import type { Profile } from "../account/profile.ts";
import type { Model } from "../conversation/completion.ts";
import { supports } from "../conversation/modelCatalog.ts";
import { describePrice } from "../conversation/prices.ts";
import type { PriceTable } from "../conversation/prices.ts";
import { formatNumber } from "../kernel/formatTime.ts";
import type { JsonObject } from "../kernel/json.ts";
import { reasoningOption } from "./nativeRequest.ts";

/** What the user has decided about an extension that uses the models; `until` is in milliseconds since 1970. */
export type AccessDecision =
  { readonly access: "allowed"; readonly until?: number } | { readonly access: "denied" };

/** Port: the decisions by extension ID, kept for all windows. */
export interface AccessStore {
  load(): unknown;
  save(decisions: Readonly<Record<string, AccessDecision>>): Promise<void>;
}

/** Asks about this extension; undefined if the user dismisses the question. */
type AskAccess = (extension: string) => Promise<AccessDecision | undefined>;

/**
 * Other extensions may use the models only if the user agrees, because requests cost money. An extension with many
 * requests at once is asked about once.
 */
export class ModelAccess {
  readonly #store: AccessStore;
  readonly #ask: AskAccess;
  readonly #now: () => number;
  readonly #pending = new Map<string, Promise<boolean>>();

  constructor(store: AccessStore, ask: AskAccess, now: () => number) {
    this.#store = store;
    this.#ask = ask;
    this.#now = now;
  }

  /** What the user has decided, by the ID of the extension. */
  get decisions(): Readonly<Record<string, AccessDecision>> {
    return parseDecisions(this.#store.load());
  }

  /** Whether the extension may use the models. Asks if that isn't decided. */
  async isAllowed(extension: string): Promise<boolean> {
    const decision = this.decisions[extension];
    if (decision?.access === "denied") return false;
    if (decision !== undefined && (decision.until ?? Infinity) > this.#now()) return true;
    let pending = this.#pending.get(extension);
    if (pending === undefined) {
      pending = this.#decide(extension).finally(() => this.#pending.delete(extension));
      this.#pending.set(extension, pending);
    }
    return pending;
  }

  /** Asks again at the next request. */
  async forget(extension: string): Promise<void> {
    const others = Object.entries(this.decisions).filter(([name]) => name !== extension);
    await this.#store.save(Object.fromEntries(others));
  }

  async #decide(extension: string): Promise<boolean> {
    const decision = await this.#ask(extension);
    if (decision === undefined) return false;
    // The permission takes effect only once it is stored.
    await this.#store.save({ ...this.decisions, [extension]: decision });
    return decision.access === "allowed";
  }
}

const decisions = v.record(
  v.string(),
  v.variant("access", [
    v.object({ access: v.literal("allowed"), until: v.exactOptional(v.number()) }),
    v.object({ access: v.literal("denied") }),
  ]),
);

/** With invalid data, nothing is decided. */
function parseDecisions(value: unknown): Readonly<Record<string, AccessDecision>> {
  const parsed = v.safeParse(decisions, value);
  return parsed.success ? parsed.output : {};
}

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
  /** VS Code shows it next to the other facts. */
  readonly pricing?: string;
  /** What the user can set for the model. VS Code passes the values with each request. */
  readonly configurationSchema?: JsonObject;
}

/** Tokens that are assumed if the server doesn't report the context window. */
const usualContext = 128_000;
/** VS Code assumes this many tokens of output for the models of extensions. */
const usualOutput = 8_192;

/** The models of several profiles. Names that occur more than once are followed by the profile. */
export function nativeModels(
  lists: readonly { readonly profile: Pick<Profile, "name" | "models">; readonly models: readonly Model[] }[],
  facts: Parameters<typeof nativeModel>[2],
): NativeModel[] {
  const all = lists.flatMap(({ profile, models }) =>
    models.map((model) => nativeModel(model, profile, facts)),
  );
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  return all.map((model) =>
    counts.get(model.name) === 1 ? model : { ...model, name: `${model.name} (${model.profile})` },
  );
}

/** @param profile The profile that offers the model. */
function nativeModel(
  model: Model,
  { name: profile, models: options }: Pick<Profile, "name" | "models">,
  { prices, locale }: { readonly prices: PriceTable; readonly locale: string | undefined },
): NativeModel {
  const context = model.contextLength ?? usualContext;
  const longest = optionsOfModel(options, model.id).maxOutputTokens ?? model.maxOutputTokens;
  const maxOutputTokens =
    longest === undefined
      ? Math.min(usualOutput, Math.floor(context / 2))
      : Math.min(longest, Math.floor((context * 3) / 4));
  const price = describePrice(model, prices, locale);
  return {
    id: JSON.stringify([profile, model.id]),
    name: model.name ?? model.id,
    family: model.id,
    version: "1",
    detail: profile,
    tooltip: tooltip(model, profile, price, locale),
    maxInputTokens: context - maxOutputTokens,
    maxOutputTokens,
    // Few servers report whether a model can call tools; one that can't reports it as an error.
    capabilities: {
      imageInput: supports(model, "image") === true,
      toolCalling: model.supportsTools !== false,
    },
    profile,
    model: model.id,
    maxContextWindowTokens: context,
    isUserSelectable: true,
    ...(price === undefined ? {} : { pricing: price.brief }),
    ...(model.supportsReasoning === false ? {} : { configurationSchema: reasoningSchema() }),
  };
}

/** Only the service knows which values the model accepts. With the first one, it decides itself. */
function reasoningSchema(): JsonObject {
  return {
    type: "object",
    properties: {
      [reasoningOption]: {
        type: "string",
        title: t("Reasoning effort"),
        enum: ["", ...reasoningEfforts],
        enumItemLabels: [t("Auto"), ...reasoningEfforts],
        default: "",
        // VS Code offers this group next to the name of the model.
        group: "navigation",
      },
    },
  };
}

function tooltip(
  { id, contextLength }: Model,
  profile: string,
  price: ReturnType<typeof describePrice>,
  locale: string | undefined,
): string {
  return [
    t("{0} from the profile “{1}”", id, profile),
    contextLength === undefined
      ? t("Context window: not reported, {0} tokens assumed", formatNumber(usualContext, locale))
      : t("Context window: {0} tokens", formatNumber(contextLength, locale)),
    ...(price === undefined ? [] : [price.sentence]),
  ].join("\n");
}
