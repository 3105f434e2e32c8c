import { t } from "@vscode/l10n";
import type { ContentPart, Model } from "../../conversation/completion.ts";
import type { ConversationSettings, Message } from "../../conversation/conversation.ts";
import { adaptationLabel } from "../../conversation/adaptations.ts";
import type { Omission } from "../../conversation/tooLong.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import {
  addTokens,
  countMessage,
  countReturned,
  countSystemPrompt,
  noTokens,
  scaleTokens,
  totalTokens,
} from "../../conversation/countTokens.ts";
import type { TokenCounter, TokenParts } from "../../conversation/countTokens.ts";
/** Below this, an estimate reflects the template around the text more than the text. */
const leastEstimate = 50;
const lowest = 0.4;
const highest = 3;

/** An earlier estimate, and what the service then counted. */
interface CountSample {
  readonly estimated: number;
  readonly reported: number;
}

/** The factor that brings estimates in line with what the service counts; 1 if nothing is known. */
export function calibrationFactor(samples: readonly CountSample[]): number {
  const usable = samples.filter(({ estimated, reported }) => estimated >= leastEstimate && reported > 0);
  const estimated = usable.reduce((sum, sample) => sum + sample.estimated, 0);
  const reported = usable.reduce((sum, sample) => sum + sample.reported, 0);
  if (estimated === 0) return 1;
  return Math.min(highest, Math.max(lowest, reported / estimated));
}

/** What the meter of a composer shows before anything is typed. */
export interface MeterReading {
  /** Calibrated; `draft` is empty. */
  readonly parts: TokenParts;
  /** The factor that the page applies to its own estimates. */
  readonly factor: number;
  /** In tokens, if known for the model. */
  readonly contextLength?: number;
  /** Tokens that the response may take: `max_tokens`, if it is set. */
  readonly reserved: number;
}

/** Number of latest responses whose counts calibrate the estimates. */
const sampledResponses = 4;

/** The properties of a model that the meter uses. */
export type MeteredModel = Partial<Model>;

/** Counts a conversation: each message once, however often the count is requested. */
export class ConversationMeter {
  readonly #count: TokenCounter;
  readonly #counted = new WeakMap<Message, TokenParts>();
  /** The tokens of each message that are sent back to the model that wrote it. */
  readonly #returned = new WeakMap<Message, number>();

  constructor(count: TokenCounter) {
    this.#count = count;
  }

  /**
   * @param model The model that responds next, if known.
   * @param tools Tokens of the conversation's tools and response schema.
   */
  read(
    messages: readonly Message[],
    settings: ConversationSettings,
    model: MeteredModel,
    tools = 0,
  ): MeterReading {
    const { contextLength } = model;
    const system = countSystemPrompt(settings.systemPrompt, this.#count);
    const { parts, samples } = this.#walk(messages, tools, model);
    const factor = calibrationFactor(samples);
    const maxTokens = settings.parameters?.["max_tokens"];
    return {
      parts: scaleTokens(addTokens(parts, { ...noTokens, system, tools }), factor),
      factor,
      ...(contextLength === undefined ? {} : { contextLength }),
      reserved: typeof maxTokens === "number" ? maxTokens : 0,
    };
  }

  /** The reading including a message that is about to be sent. */
  withDraft(
    reading: MeterReading,
    draft: { readonly text: string; readonly attachments: readonly ContentPart[] },
  ): TokenParts {
    return addTokens(reading.parts, scaleTokens(countMessage(draft, "draft", this.#count), reading.factor));
  }

  #walk(
    messages: readonly Message[],
    tools: number,
    model: MeteredModel,
  ): {
    readonly parts: TokenParts;
    readonly samples: readonly CountSample[];
  } {
    let parts = noTokens;
    const samples: CountSample[] = [];
    for (const message of messages) {
      const reported = message.role === "assistant" ? message.usage?.promptTokens : undefined;
      if (reported !== undefined && !isShortened(message)) {
        const system = countSystemPrompt(message.settings?.systemPrompt, this.#count);
        // The tools may have changed since then; the current ones are the best guess.
        const offered = hasTools(message.settings) ? tools : 0;
        samples.push({ estimated: totalTokens(parts) + system + offered, reported });
      }
      parts = addTokens(parts, this.#countOnce(message));
      const returned = this.#countReturned(message, model.id);
      if (returned > 0) parts = addTokens(parts, { ...noTokens, history: returned });
    }
    return { parts, samples: samples.slice(-sampledResponses) };
  }

  /** Tokens of its own reasoning that are sent back to the model. */
  #countReturned(message: Message, model: string | undefined): number {
    if (message.toolCalls.length === 0 || message.providerFields?.model !== model) return 0;
    const known = this.#returned.get(message);
    if (known !== undefined) return known;
    const tokens = countReturned(message, model, this.#count);
    if (message.status !== "streaming") this.#returned.set(message, tokens);
    return tokens;
  }

  #countOnce(message: Message): TokenParts {
    const known = this.#counted.get(message);
    if (known !== undefined) return known;
    const counted = countMessage(message, "history", this.#count);
    if (message.status !== "streaming") this.#counted.set(message, counted);
    return counted;
  }
}

function hasTools(settings: ConversationSettings | undefined): boolean {
  return (settings?.tools ?? []).length > 0 || settings?.parameters?.["response_format"] !== undefined;
}

/** By how many tokens the parts exceed the model's context window; 0 if they fit or its size isn't known. */
export function excessTokens(parts: TokenParts, reading: MeterReading): number {
  if (reading.contextLength === undefined) return 0;
  return Math.max(0, totalTokens(parts) + reading.reserved - reading.contextLength);
}

/** Whether a part of the conversation was left out of the request, so that its count doesn't measure all of it. */
function isShortened({ omitted }: Message): boolean {
  const { turns = 0, files = 0, cut = 0, inputs = [] } = omitted ?? {};
  return turns + files + cut + inputs.length > 0;
}

/** The texts of a meter. */
interface MeterMessages {
  /** A few characters for the composer's bar. */
  readonly words: string;
  /** The full sentence behind the abbreviated text. */
  readonly label: string;
  /** Share of the context window, from 0; undefined if the model's context window isn't known. */
  readonly share?: number;
  readonly isTooLong: boolean;
  readonly rows: readonly { readonly label: string; readonly value: string }[];
}

/** What the meter shows for these counts. The locale determines the format of numbers; by default, it is VS Code's. */
export function meterMessages(parts: TokenParts, reading: MeterReading, locale?: string): MeterMessages {
  const total = totalTokens(parts);
  const { contextLength, reserved } = reading;
  const number = (value: number): string => formatNumber(value, locale);
  const excess = excessTokens(parts, reading);
  const short = (value: number): string => formatNumber(value, locale, { notation: "compact" });
  return {
    words: contextLength === undefined ? `≈ ${short(total)}` : `≈ ${short(total)} / ${short(contextLength)}`,
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
  const { turns, files, cut = 0, inputs = [], adaptations = [], tools = false } = omission;
  const labels = adaptations.map(adaptationLabel).join(", ");
  return [
    ...(turns + files === 0 ? [] : [unfitText(omission, locale)]),
    ...(cut === 0 ? [] : [t("To fit the context window, long texts were cut.")]),
    ...(inputs.includes("image")
      ? [t("The images weren't sent because this model doesn't support them.")]
      : []),
    ...(inputs.includes("audio") ? [t("The audio wasn't sent because this model doesn't support it.")] : []),
    ...(labels === "" ? [] : [t("Sent without {0}, which this model rejected.", labels)]),
    ...(tools ? [t("The tools weren't sent because this model doesn't support them.")] : []),
  ].join(" ");
}

function unfitText({ turns, files, tokens }: Omission, locale: string | undefined): string {
  const about = formatNumber(tokens, locale);
  if (files === 0 && turns === 1)
    return t("To fit the context window, the oldest turn (about {0} tokens) was left out.", about);
  if (files === 0)
    return t(
      "To fit the context window, the {0} oldest turns (about {1} tokens) were left out.",
      formatNumber(turns, locale),
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
      formatNumber(files, locale),
      about,
    );
  return t(
    "To fit the context window, the oldest turns ({1}) and files from other turns ({0}) were left out (about {2} tokens).",
    formatNumber(files, locale),
    formatNumber(turns, locale),
    about,
  );
}
