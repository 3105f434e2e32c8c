import type { ContentPart, Model } from "../../conversation/completion.ts";
import type { ConversationSettings, Message } from "../../conversation/conversation.ts";
import {
  addTokens,
  countMessage,
  countReturned,
  countImages,
  countSystemPrompt,
  noTokens,
  scaleTokens,
  totalTokens,
} from "./countTokens.ts";
import type { TokenCounter, TokenParts } from "./countTokens.ts";
/** Below this an estimate says more about the template around the text than about the text. */
const leastEstimate = 50;
const lowest = 0.4;
const highest = 3;

/** What was estimated before, and what the service then counted. */
interface CountSample {
  readonly estimated: number;
  readonly reported: number;
}

/** By what estimates are to be multiplied so that they meet what the service counts; 1 if nothing is known. */
export function calibrationFactor(samples: readonly CountSample[]): number {
  const usable = samples.filter(({ estimated, reported }) => estimated >= leastEstimate && reported > 0);
  const estimated = usable.reduce((sum, sample) => sum + sample.estimated, 0);
  const reported = usable.reduce((sum, sample) => sum + sample.reported, 0);
  if (estimated === 0) return 1;
  return Math.min(highest, Math.max(lowest, reported / estimated));
}

/** What the meter of a composer shows before anything is written. */
export interface MeterReading {
  /** Calibrated; `draft` is empty. */
  readonly parts: TokenParts;
  /** By what the page's own estimates are to be multiplied. */
  readonly factor: number;
  /** In tokens, where the model's is known. */
  readonly contextLength?: number;
  /** Tokens that the response may take: `max_tokens`, where it is set. */
  readonly reserved: number;
}

/** Latest responses of which the counts calibrate the estimates. */
const sampledResponses = 4;

/** What the meter asks of a model. */
export type MeteredModel = Partial<Pick<Model, "id" | "contextLength" | "supportsImages">>;

/** Counts a conversation: each message once, however often it is asked. */
export class ConversationMeter {
  readonly #count: TokenCounter;
  readonly #counted = new WeakMap<Message, TokenParts>();
  /** What goes back of each message to the model that wrote it. */
  readonly #returned = new WeakMap<Message, number>();

  constructor(count: TokenCounter) {
    this.#count = count;
  }

  /**
   * @param model The one that responds next, as far as it is known.
   * @param tools What the conversation's tools and the schema of its responses take, in tokens.
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
    { id, supportsImages = false }: MeteredModel,
  ): {
    readonly parts: TokenParts;
    readonly samples: readonly CountSample[];
  } {
    let parts = noTokens;
    const samples: CountSample[] = [];
    for (const message of messages) {
      const reported = message.role === "assistant" ? message.usage?.promptTokens : undefined;
      // Of what was left out it isn't known what it counted.
      if (reported !== undefined && message.omitted === undefined) {
        const system = countSystemPrompt(message.settings?.systemPrompt, this.#count);
        // The tools may have changed since; those of now are the best guess.
        const offered = hasTools(message.settings) ? tools : 0;
        samples.push({ estimated: totalTokens(parts) + system + offered, reported });
      }
      parts = addTokens(parts, this.#countOnce(message));
      const returned = this.#countReturned(message, id);
      if (returned > 0) parts = addTokens(parts, { ...noTokens, history: returned });
      if (message.role === "tool" && supportsImages)
        parts = addTokens(parts, countImages(message.attachments));
    }
    return { parts, samples: samples.slice(-sampledResponses) };
  }

  /** What the model gets back of its own reasoning. */
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
    // What a tool gave beside text goes to a model that sees, and to no other.
    const sent = message.role === "tool" ? { ...message, attachments: [] } : message;
    const counted = countMessage(sent, "history", this.#count);
    if (message.status !== "streaming") this.#counted.set(message, counted);
    return counted;
  }
}

function hasTools(settings: ConversationSettings | undefined): boolean {
  return (settings?.tools ?? []).length > 0 || settings?.parameters?.["response_format"] !== undefined;
}

/** By how many tokens the parts are too many for the model; 0 if they fit or its context is not known. */
export function excessTokens(parts: TokenParts, reading: MeterReading): number {
  if (reading.contextLength === undefined) return 0;
  return Math.max(0, totalTokens(parts) + reading.reserved - reading.contextLength);
}
