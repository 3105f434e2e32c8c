import { estimateTokens } from "../../../core/compose/meter/estimateTokens.ts";
import { ConversationMeter, excessTokens, meterRows } from "../../../core/compose/meter/conversationMeter.ts";
import type { MeteredModel, MeterReading } from "../../../core/compose/meter/conversationMeter.ts";
import { countParameters } from "../../../core/conversation/countTokens.ts";
import { fittingCompletions } from "../../../core/compose/meter/fittingCompletions.ts";
import type { FitPolicy } from "../../../core/compose/meter/fitMessages.ts";
import type { TooLongPolicy } from "../../../core/conversation/tooLong.ts";
import type { Outgoing } from "../../../core/compose/send/outgoing.ts";
import type { TooLong } from "../../../core/compose/send/sendQuestion.ts";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { CompletionPort, Model } from "../../../core/conversation/completion.ts";
import type { ConversationSettings } from "../../../core/conversation/conversation.ts";
import { supports } from "../../../core/conversation/modelCatalog.ts";
import { toolParameters } from "../../../core/conversation/toolPort.ts";
import type { ToolPort } from "../../../core/conversation/toolPort.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";

/** Milliseconds during which several changes are combined into one count. */
const settleMs = 60;

interface PanelMeterContext {
  readonly session: ChatSession;
  readonly meter: ConversationMeter;
  /** The model that will respond next, if it is known. */
  model(): MeteredModel;
  /** Tokens used by the tools and the response format of these settings. */
  countParameters(settings: ConversationSettings): Promise<number>;
  /** Called with the correction factor for estimates of the model's token counts. */
  onFactor(factor: number): void;
  post(message: { readonly type: "meter"; readonly reading: MeterReading }): void;
}

/** Sends the token count of a panel's conversation to its page whenever it has changed. */
export class PanelMeter {
  readonly #context: PanelMeterContext;
  readonly #unsubscribe: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** From the last count. */
  #toolTokens = 0;

  constructor(context: PanelMeterContext) {
    this.#context = context;
    this.#unsubscribe = context.session.subscribe((event) => {
      // A growing response is counted once it is complete.
      if (event.type !== "delta" && event.type !== "title") this.update();
    });
  }

  /** Called when something has changed, or the page is new. */
  update(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#postReading();
    }, settleMs);
  }

  /** How many tokens a message would be over the limit. Undefined if it fits, or if that isn't known. */
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

  async #postReading(): Promise<void> {
    const { session, countParameters, post } = this.#context;
    this.#toolTokens = await countParameters(session.state.settings);
    post({ type: "meter", reading: this.#read() });
  }

  #read(): MeterReading {
    const { session, meter, model, onFactor } = this.#context;
    const reading = meter.read(session.state.messages, session.state.settings, model(), this.#toolTokens);
    onFactor(reading.factor);
    return reading;
  }
}

/** Counts tokens for the panels, and removes from requests what wouldn't fit. */
export class Meters {
  readonly #models: () => readonly Model[];
  readonly #tools: Pick<ToolPort, "definitions">;
  readonly #meter = new ConversationMeter(estimateTokens);
  /** Correction factors for token estimates by model, as measured in conversations. */
  readonly #factors = new Map<string, number>();

  constructor(models: () => readonly Model[], tools: Pick<ToolPort, "definitions">) {
    this.#models = models;
    this.#tools = tools;
  }

  /** @param model The model that will respond next, if it is known. */
  create(session: ChatSession, model: () => string | undefined, post: PanelMeterContext["post"]): PanelMeter {
    return new PanelMeter({
      session,
      meter: this.#meter,
      model: () => {
        const id = model();
        return this.#find(id) ?? (id === undefined ? {} : { id });
      },
      countParameters: async ({ tools = [], parameters }) => {
        const offered = tools.length === 0 ? {} : toolParameters(await this.#tools.definitions(tools));
        return countParameters({ ...parameters, ...offered }, estimateTokens);
      },
      onFactor: (factor) => {
        const id = model();
        if (id !== undefined) this.#factors.set(id, factor);
      },
      post,
    });
  }

  /**
   * Wraps the port so that its requests fit, if the user's settings allow it.
   * @param isTurn Whether they are turns of a conversation, of which old ones may be left out.
   */
  fit(completions: CompletionPort, isTurn = true): CompletionPort {
    const policy = isTurn ? turnPolicy : undefined;
    return fitToModels(
      completions,
      (model) => this.#find(model),
      policy,
      (model) => this.#factors.get(model),
    );
  }

  #find(model: string | undefined): Model | undefined {
    return this.#models().find(({ id }) => id === model);
  }
}

function turnPolicy(): TooLongPolicy | undefined {
  const policy = chatSettings.whenTooLong();
  return policy === "oldest" || policy === "files" ? policy : undefined;
}

/**
 * Wraps the port so that its requests fit what is known about their models.
 * @param policy What may be left out. By default, only texts are cut.
 * @param factor Corrects estimates for a model.
 */
export function fitToModels(
  completions: CompletionPort,
  find: (model: string) => Model | undefined,
  policy: () => FitPolicy | undefined = () => "texts",
  factor: (model: string) => number | undefined = () => undefined,
): CompletionPort {
  return fittingCompletions(completions, {
    contextLength: (model) => find(model)?.contextLength,
    supports: (model, modality) => supports(find(model) ?? {}, modality),
    lacksTools: (model) => find(model)?.supportsTools === false,
    policy,
    count: estimateTokens,
    factor: (model) => factor(model) ?? 1,
  });
}
