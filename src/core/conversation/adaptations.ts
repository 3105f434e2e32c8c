import { t } from "@vscode/l10n";
import type { UnsupportedInput } from "../kernel/errors.ts";
import { startOf } from "../kernel/foreignText.ts";
import { isRecord, numberField, recordsIn, stringField } from "../kernel/json.ts";

/**
 * A change without which a server rejects the requests to a model: a field of the body or of its messages that is left
 * out or renamed, input that the model can't read, or the order of messages that its template requires (`alternate` accepts only
 * alternating user and assistant messages after one system message, `noSystem` no system message at all).
 */
export type Adaptation =
  | `field:${string}`
  | `messageField:${string}`
  | "rename:max_tokens"
  | `input:${UnsupportedInput}`
  | "order:alternate"
  | "order:noSystem";

/** An adaptation with what taught it. */
export interface LearnedAdaptation {
  readonly adaptation: Adaptation;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The server's message. */
  readonly words: string;
}

/** The model that a request is for. */
export interface AdaptedModel {
  readonly profile: string;
  /** Includes `/v1`. */
  readonly baseUrl: string;
  readonly model: string;
}

/** Whether the text is an adaptation, such as one that was stored. */
export function isAdaptation(text: string): text is Adaptation {
  return /^(?:(?:field|messageField):\w{1,80}|rename:max_tokens|input:(?:image|audio)|order:(?:alternate|noSystem))$/.test(
    text,
  );
}

/** Whether the user may miss what requests lack because of it. */
export function isNoticeable(adaptation: Adaptation): boolean {
  return !["field:stream_options", "order:alternate", "rename:max_tokens"].includes(adaptation);
}

/** What requests lack because of the adaptation, in a few words. */
export function adaptationLabel(adaptation: Adaptation): string {
  switch (adaptation) {
    case "input:image":
      return t("images");
    case "input:audio":
      return t("audio");
    case "field:stream":
      return t("streaming");
    case "order:noSystem":
      return t("a system message");
    case "order:alternate":
      return t("consecutive messages with the same role");
    default:
      return `“${adaptation.slice(adaptation.indexOf(":") + 1)}”`;
  }
}

/** Port: keeps what was learned for all windows. */
interface AdaptationMemory {
  /** What was last saved, here or in another window. */
  load(): unknown;
  save(adaptations: unknown): void;
}

/** Servers are updated, so what they rejected is tried again after this many milliseconds. */
const lifeMs = 7 * 24 * 60 * 60 * 1_000;
/** Number of models that are remembered; those learned first are dropped first. */
const mostModels = 200;
/** UTF-16 units of a server's message that are kept. */
const longestWords = 300;

/** What servers have rejected, so that later requests are sent in the accepted form from the start. */
export class Adaptations {
  readonly #memory: AdaptationMemory;
  readonly #now: () => number;

  /** @param now Milliseconds since 1970. */
  constructor(now: () => number, memory: AdaptationMemory = windowMemory()) {
    this.#memory = memory;
    this.#now = now;
  }

  /** What has been learned about the model and still applies. */
  of(model: AdaptedModel): readonly LearnedAdaptation[] {
    return this.#read().get(keyOf(model)) ?? [];
  }

  remember(model: AdaptedModel, learned: readonly Omit<LearnedAdaptation, "at">[]): void {
    if (learned.length === 0) return;
    const at = this.#now();
    const names = new Set(learned.map(({ adaptation }) => adaptation));
    this.#write(model, [
      ...this.of(model).filter(({ adaptation }) => !names.has(adaptation)),
      ...learned.map(({ adaptation, words }) => ({ adaptation, at, words: startOf(words, longestWords) })),
    ]);
  }

  /** Later requests contain again what the server rejected. */
  forget(model: AdaptedModel, adaptations: readonly Adaptation[]): void {
    this.#write(
      model,
      this.of(model).filter(({ adaptation }) => !adaptations.includes(adaptation)),
    );
  }

  #write(model: AdaptedModel, learned: readonly LearnedAdaptation[]): void {
    const all = this.#read();
    all.delete(keyOf(model));
    const kept = [...all].slice(-(mostModels - 1));
    this.#memory.save(Object.fromEntries([...kept, [keyOf(model), learned]]));
  }

  #read(): Map<string, readonly LearnedAdaptation[]> {
    const saved = this.#memory.load();
    const entries = Object.entries(isRecord(saved) ? saved : {}).map(
      ([key, list]) => [key, recordsIn(list).flatMap((entry) => this.#parse(entry))] as const,
    );
    return new Map(entries.filter(([, list]) => list.length > 0));
  }

  /** What was learned far in the future was learned with a wrong clock. */
  #parse(entry: Readonly<Record<string, unknown>>): readonly LearnedAdaptation[] {
    const [adaptation, words] = [stringField(entry, "adaptation"), stringField(entry, "words") ?? ""];
    const at = numberField(entry, "at");
    if (adaptation === undefined || !isAdaptation(adaptation) || at === undefined) return [];
    return Math.abs(this.#now() - at) < lifeMs ? [{ adaptation, at, words }] : [];
  }
}

function keyOf({ profile, baseUrl, model }: AdaptedModel): string {
  return JSON.stringify([profile, baseUrl, model]);
}

function windowMemory(): AdaptationMemory {
  let saved: unknown;
  return { load: () => saved, save: (next) => (saved = next) };
}
