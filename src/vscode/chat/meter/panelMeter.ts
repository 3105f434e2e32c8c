import type { ChatSession } from "../../../core/chatSession.ts";
import { excessTokens } from "../../../core/meter/conversationMeter.ts";
import type { ConversationMeter, MeterReading } from "../../../core/meter/conversationMeter.ts";
import { meterRows } from "../../../core/meter/meterWords.ts";
import type { Outgoing } from "../../../core/send/outgoing.ts";
import type { TooLong } from "../../../core/send/sendQuestion.ts";

/** Milliseconds in which several changes become one reading. */
const settleMs = 60;

export interface PanelMeterContext {
  readonly session: ChatSession;
  readonly meter: ConversationMeter;
  /** Of the model that answers next, in tokens; undefined where it is not known. */
  contextLength(): number | undefined;
  /** Of the definitions of these tools, in tokens. */
  countTools(names: readonly string[]): Promise<number>;
  /** Learns how estimates for the model have to be corrected. */
  onFactor(factor: number): void;
  post(message: { readonly type: "meter"; readonly reading: MeterReading }): void;
}

/** Tells the page of one panel how many tokens its conversation has, whenever that has changed. */
export class PanelMeter {
  readonly #context: PanelMeterContext;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** As they were counted last. */
  #toolTokens = 0;

  constructor(context: PanelMeterContext) {
    this.#context = context;
    this.#unsubscribe = context.session.subscribe((event) => {
      // What grows is counted when it is there.
      if (event.type !== "delta" && event.type !== "title") this.update();
    });
  }

  /** Something has changed, or the page is new. */
  update(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#tell();
    }, settleMs);
  }

  /** How a message would be too long; undefined where it is not, or nobody knows. */
  findTooLong(outgoing: Outgoing | undefined): TooLong | undefined {
    const reading = this.#read();
    const { meter } = this.#context;
    const parts = outgoing === undefined ? reading.parts : meter.withDraft(reading, outgoing);
    const excess = excessTokens(parts, reading);
    return excess === 0 ? undefined : { excess, rows: meterRows(parts, reading), hasFiles: parts.files > 0 };
  }

  dispose(): void {
    this.#unsubscribe();
    clearTimeout(this.#timer);
  }

  async #tell(): Promise<void> {
    const { session, countTools, post } = this.#context;
    const { tools = [] } = session.settings;
    this.#toolTokens = tools.length === 0 ? 0 : await countTools(tools);
    post({ type: "meter", reading: this.#read() });
  }

  #read(): MeterReading {
    const { session, meter, contextLength, onFactor } = this.#context;
    const reading = meter.read(session.messages, session.settings, contextLength(), this.#toolTokens);
    onFactor(reading.factor);
    return reading;
  }
}
