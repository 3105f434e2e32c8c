import { t } from "@vscode/l10n";
import type { ToolCall } from "../../../core/conversation/completion.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { MessageChange } from "../../../core/conversation/messageDetails.ts";
import { create, icon, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { LiveRegion } from "../../kit/liveRegion.ts";
import { ToolCard } from "./toolCard.ts";
import type { ToolCallStore } from "./toolCallStore.ts";
import type { CallState } from "./toolLabels.ts";
import { outcomeState, stateLabel } from "./toolLabels.ts";

interface ToolCallsContext {
  readonly host: Host;
  readonly liveRegion: LiveRegion;
  readonly tools: ToolCallStore;
}

/** A call in one of these states is in progress, here or in another window, so nothing can be continued. */
const underWay: readonly CallState[] = ["starting", "confirming", "running", "taken"];

/** The calls of one response, each as a card, and the button to continue if they weren't run. */
export class ToolCalls {
  readonly element = create("div", { class: "tool-calls" });
  readonly #messageId: string;
  readonly #context: ToolCallsContext;
  /** In the order of the calls, because the ID of a call may arrive after its name. */
  readonly #cards: ToolCard[] = [];
  readonly #announced = new Map<string, CallState>();
  readonly #rest = create("div", { class: "tools-rest idle-only" });
  #calls: readonly ToolCall[] = [];
  #status: MessageChange["status"] = "streaming";
  #isLast = false;

  constructor(messageId: string, context: ToolCallsContext) {
    this.#messageId = messageId;
    this.#context = context;
  }

  update({ toolCalls, status }: MessageChange): void {
    this.#calls = toolCalls;
    this.#status = status;
    if (toolCalls.length > 0) this.#context.tools.watch(this.#messageId, () => this.#show());
    this.#show();
  }

  /** Sets whether only results follow the response, because only then can the user continue with it. */
  setLast(isLast: boolean): void {
    this.#isLast = isLast;
    this.#showRest();
  }

  #show(): void {
    for (const [index, call] of this.#calls.entries()) {
      const card = this.#cards[index] ?? this.#addCard();
      const result = this.#context.tools.result(this.#messageId, call.id);
      const state = this.#stateOf(call, result);
      card.show(call, state, result, this.#context.tools.live(this.#messageId, call.id));
      this.#announce(call, state);
    }
    this.#showRest();
  }

  #addCard(): ToolCard {
    const card = new ToolCard(this.#messageId, this.#context.host);
    this.#cards.push(card);
    this.element.append(card.element);
    return card;
  }

  #stateOf(call: ToolCall, result: Message | undefined): CallState {
    const { tools } = this.#context;
    const live = tools.live(this.#messageId, call.id)?.state;
    // A call that was interrupted or is running already has a message while it is in progress here or the user is being
    // asked.
    if (live !== undefined && (result === undefined || isOpenResult(result))) return live;
    if (result !== undefined) return outcomeState(result, tools.isBusy);
    return this.#status === "streaming" ? "written" : "open";
  }

  /** Screen readers announce every step except those that were completed before the page existed. */
  #announce({ id, name }: ToolCall, state: CallState): void {
    const before = this.#announced.get(id);
    this.#announced.set(id, state);
    // Between the end of the response and the question or the run, a call has no result yet. That isn't announced.
    const isQuiet = state === "open" || state === "starting";
    const isNews = before === undefined ? state === "confirming" : before !== state && !isQuiet;
    if (isNews) this.#context.liveRegion.announce(`${t("Tool {0}", name)}: ${stateLabel(state)}`);
  }

  #showRest(): void {
    const states = new Set(this.#announced.values());
    const isUnderWay = underWay.some((state) => states.has(state));
    const isOver = this.#status === "complete" && this.#isLast && this.#calls.length > 0 && !isUnderWay;
    if (!isOver) return this.#rest.remove();
    const limit = this.#context.tools.limit(this.#messageId);
    const words =
      limit === 1
        ? t("Reached the limit of 1 tool round. These calls weren't run.")
        : limit !== undefined
          ? t("Reached the limit of {0} tool rounds. These calls weren't run.", String(limit))
          : states.has("interrupted")
            ? t("Some of these calls may already have run. You'll be asked before any of them is run again.")
            : states.has("open")
              ? t("These calls have no results yet.")
              : t("These results haven't been sent to the model yet.");
    const proceed = textButton(t("Continue"), () =>
      this.#context.host.post({
        type: "messageAction",
        action: "continueTools",
        messageId: this.#messageId,
      }),
    );
    this.#rest.replaceChildren(create("span", { class: "tools-rest-words" }, icon("info"), words), proceed);
    if (this.#rest.parentNode === null) this.element.after(this.#rest);
  }
}

function isOpenResult({ status, finishReason }: Message): boolean {
  return status === "streaming" || finishReason === "interrupted";
}
