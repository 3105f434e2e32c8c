import { estimateTokenCount } from "tokenx";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../../core/conversation/completion.ts";
import { ConversationMeter } from "../../../core/compose/meter/conversationMeter.ts";
import { fittingCompletions } from "../../../core/compose/meter/fittingCompletions.ts";
import type { Model } from "../../../core/conversation/completion.ts";
import { countParameters } from "../../../core/compose/meter/countTokens.ts";
import type { ToolPort } from "../../../core/conversation/toolPort.ts";
import { toolParameters } from "../../../core/conversation/toolPort.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { PanelMeter } from "./panelMeter.ts";
import type { PanelMeterContext } from "./panelMeter.ts";

/** Counts tokens for the panels, and leaves out of requests what would not fit. */
export class Meters {
  readonly #models: () => readonly Model[];
  readonly #tools: Pick<ToolPort, "definitions">;
  readonly #meter = new ConversationMeter(estimateTokenCount);
  /** By what estimates for a model are to be multiplied, as far as a conversation has shown it. */
  readonly #factors = new Map<string, number>();

  constructor(models: () => readonly Model[], tools: Pick<ToolPort, "definitions">) {
    this.#models = models;
    this.#tools = tools;
  }

  /** @param model The one that answers next, as far as it is known. */
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
        return countParameters({ ...parameters, ...offered }, estimateTokenCount);
      },
      onFactor: (factor) => {
        const id = model();
        if (id !== undefined) this.#factors.set(id, factor);
      },
      post,
    });
  }

  /** The port whose requests fit, as far as the user wants that. */
  fit(completions: CompletionPort): CompletionPort {
    return fittingCompletions(completions, {
      contextLength: (model) => this.#find(model)?.contextLength,
      supportsImages: (model) => this.#find(model)?.supportsImages === true,
      policy() {
        const policy = chatSettings.whenTooLong();
        return policy === "oldest" || policy === "files" ? policy : undefined;
      },
      count: estimateTokenCount,
      factor: (model) => this.#factors.get(model) ?? 1,
    });
  }

  #find(model: string | undefined): Model | undefined {
    return this.#models().find(({ id }) => id === model);
  }
}
