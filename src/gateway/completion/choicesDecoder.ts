import type { CompletionEvent } from "../../core/conversation/completion.ts";
import { isRecord, parseJson } from "../../core/kernel/json.ts";
import type { CompletionErrors, CompletionLimits } from "./completionErrors.ts";
import { CompletionDecoder } from "./completionDecoder.ts";
import type { CompletionEventHandler } from "./completionDecoder.ts";

/** Maximum number of responses that one request may ask for. */
const maxChoices = 8;

/**
 * Decodes a response with several choices. The first one is decoded as usual; the events of the others are wrapped in
 * `choice` events. Choices that weren't requested are ignored.
 */
export class ChoicesDecoder extends CompletionDecoder {
  readonly #handler: CompletionEventHandler;
  readonly #create: (handler: CompletionEventHandler) => CompletionDecoder;
  readonly #count: number;
  readonly #others = new Map<number, CompletionDecoder>();

  constructor(
    handler: CompletionEventHandler,
    errors: CompletionErrors,
    { limits, count }: { readonly limits: Pick<CompletionLimits, "maxLength">; readonly count: number },
  ) {
    super(handler, errors, limits);
    this.#handler = handler;
    this.#create = (own) => new CompletionDecoder(own, errors, limits);
    this.#count = Math.min(count, maxChoices);
  }

  override get progress(): number {
    return this.#list.reduce((sum, decoder) => sum + decoder.progress, super.progress);
  }

  override get hasSteps(): boolean {
    return super.hasSteps || this.#list.some((decoder) => decoder.hasSteps);
  }

  override step(): void {
    if (super.hasSteps) super.step();
    else this.#list.find((decoder) => decoder.hasSteps)?.step();
  }

  override onEvent(data: string, name: string | undefined): void {
    super.onEvent(data, name);
    if (this.isDone || !data.includes('"choices"')) return;
    for (const [index, value] of this.#otherChoices(parseJson(data)))
      this.#decoderOf(index).onEvent(JSON.stringify(value), name);
  }

  override readWhole(value: unknown): void {
    for (const [index, other] of this.#otherChoices(value)) this.#decoderOf(index).readWhole(other);
    super.readWhole(value);
  }

  /** The usual shortcut for text that is read without parsing knows only one choice. */
  override readKnown(_text: string, start: number): number {
    return start;
  }

  override flush(): void {
    super.flush();
    for (const [index, decoder] of this.#others) {
      decoder.flush();
      if (decoder.isComplete) this.#emit(index, { type: "finish", reason: decoder.finishReason });
    }
  }

  get #list(): readonly CompletionDecoder[] {
    return [...this.#others.values()];
  }

  /** Each of the other choices by its index, as if it were the only one. */
  #otherChoices(value: unknown): readonly (readonly [number, unknown])[] {
    const choices = isRecord(value) ? value["choices"] : undefined;
    if (!Array.isArray(choices)) return [];
    return choices.flatMap((choice: unknown, position) => {
      if (!isRecord(choice)) return [];
      const index = Number(choice["index"] ?? position);
      const isOther = Number.isInteger(index) && index > 0 && index < this.#count;
      return isOther ? [[index, { choices: [{ ...choice, index: 0 }] }] as const] : [];
    });
  }

  #decoderOf(index: number): CompletionDecoder {
    const known = this.#others.get(index);
    if (known !== undefined) return known;
    const decoder = this.#create({ onEvent: (event) => this.#emit(index, event) });
    this.#others.set(index, decoder);
    return decoder;
  }

  #emit(index: number, event: CompletionEvent): void {
    this.#handler.onEvent({ type: "choice", index, event });
  }
}
