import { t } from "@vscode/l10n";
import type { ToolCall } from "../../../core/conversation/completion.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { MessageChange } from "../../../core/conversation/messageDetails.ts";
import { create, icon, textButton, iconButton, iconClass } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { LiveRegion } from "../../kit/liveRegion.ts";
import type { ToolCallStore } from "./toolCallStore.ts";
import type { CallState } from "./toolLabels.ts";
import { outcomeState, stateLabel, hasResult, reasonMessage, stateIcon } from "./toolLabels.ts";
import { escapeInvisible } from "../../../core/kernel/foreignText.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import type { CallConcern } from "../../../core/responses/tools/callConcern.ts";
import type { LiveCall, ToolAnswer } from "../../../core/responses/tools/liveCalls.ts";
import { createMessageAttachments } from "../../composer/attachments/loadAttachmentViews.ts";
import { describeTime } from "../../kit/times.ts";
import { argumentsText } from "../../../core/responses/tools/argumentsText.ts";

/** UTF-16 code units of the arguments shown in the card. All of them open as a document. */
const shownArgumentsLength = 10_000;

/** The arguments of a tool call, up to the length that can be shown at once. */
class ToolArguments {
  readonly element: HTMLElement;
  readonly #text = create("pre", { tabindex: "0", dir: "ltr", "aria-label": t("Arguments") });
  readonly #rest: HTMLElement;
  #shown: string | undefined;

  constructor(onOpen: () => void) {
    this.#rest = create(
      "div",
      { hidden: "" },
      create(
        "p",
        { class: "tool-rest" },
        t("Only the first {0} characters are shown.", formatNumber(shownArgumentsLength)),
      ),
      textButton(t("Open Full Arguments"), onOpen),
    );
    this.element = create(
      "div",
      { class: "tool-part" },
      create("h3", {}, t("Arguments")),
      this.#text,
      this.#rest,
    );
  }

  show(written: string): void {
    if (written === this.#shown) return;
    this.#shown = written;
    const { text, isCut } = argumentsText(written, shownArgumentsLength);
    this.#text.textContent = escapeInvisible(text);
    this.#rest.hidden = !isCut;
  }
}

/** UTF-16 code units of a result shown in the card. All of it opens as a document. */
const shownLength = 4_000;

/** The result of a tool: the start of its text, and its images. */
function createToolResult({ id, text, attachments }: Message, host: Host): HTMLElement {
  const copy = iconButton("copy", t("Copy Result"), () => host.post({ type: "copy", text }));
  copy.dataset["copy"] = "result";
  return create(
    "div",
    { class: "tool-part" },
    create("div", { class: "tool-heading" }, create("h3", {}, t("Result")), copy),
    create(
      "pre",
      { tabindex: "0", dir: "auto", "aria-label": t("Result") },
      escapeInvisible(text.slice(0, shownLength)),
    ),
    ...(text.length > shownLength ? createRest(text.length, id, host) : []),
    ...createMessageAttachments(attachments),
  );
}

function createRest(length: number, messageId: string, host: Host): readonly HTMLElement[] {
  return [
    create(
      "p",
      { class: "tool-rest" },
      t("{0} of {1} characters are shown.", formatNumber(shownLength), formatNumber(length)),
    ),
    textButton(t("Open Full Result"), () =>
      host.post({ type: "messageAction", action: "openToolResult", messageId }),
    ),
  ];
}

/** One call: its name, its arguments and result (initially collapsed), and the question whether it may run. */
class ToolCard {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #messageId: string;
  readonly #details = create("details");
  readonly #summary = create("summary");
  readonly #icon = create("span", { "aria-hidden": "true" });
  readonly #name = create("code", { class: "tool-name", dir: "auto" });
  readonly #state = create("span", { class: "tool-state" });
  readonly #reason = create("p", { class: "tool-reason", dir: "auto", hidden: "" });
  readonly #arguments: ToolArguments;
  readonly #result = create("div", { class: "tool-result" });
  /** Only present while the user is being asked. */
  #question: HTMLElement | undefined;
  #askedFor: string | undefined;
  #call: ToolCall = { id: "", name: "", arguments: "" };
  #shown: CallState | undefined;
  #shownResult: string | undefined;
  #shownLive: LiveCall | undefined;
  /** Opened for the question. It is collapsed again afterward unless the user has changed it. */
  #isOpenedByUs = false;

  constructor(messageId: string, host: Host) {
    this.#host = host;
    this.#messageId = messageId;
    this.#arguments = new ToolArguments(() =>
      host.post({ type: "openToolArguments", messageId, callId: this.#call.id }),
    );
    this.#summary.append(icon("chevron-right"), this.#icon, this.#name, this.#state);
    this.#details.append(this.#summary, this.#arguments.element, this.#result);
    this.element = create("div", { class: "tool-call", role: "group" }, this.#details, this.#reason);
    this.#details.addEventListener("toggle", () => this.#fill());
    this.#summary.addEventListener("click", () => (this.#isOpenedByUs = false));
  }

  /**
   * @param result The message that contains the call's result.
   * @param live What is known about the call as long as it has no result.
   */
  show(call: ToolCall, state: CallState, result: Message | undefined, live?: LiveCall): void {
    this.#call = call;
    const time = result?.timing?.totalMs;
    this.#state.textContent =
      time === undefined ? stateLabel(state) : `${stateLabel(state)} · ${describeTime(time)}`;
    this.#showName(escapeInvisible(call.name));
    const isSame =
      live?.concern === this.#shownLive?.concern && live?.needsDialog === this.#shownLive?.needsDialog;
    if (state === this.#shown && result?.id === this.#shownResult && isSame) return;
    const hadFocus = this.#question?.contains(document.activeElement) === true;
    this.#shown = state;
    this.#shownResult = result?.id;
    this.#shownLive = live;
    this.#icon.className = iconClass(stateIcon(state));
    this.#icon.classList.toggle("codicon-modifier-spin", stateIcon(state) === "loading");
    this.element.dataset["state"] = state;
    this.#ask(state === "confirming", live);
    this.#unfold(state === "confirming");
    this.#showReason(reasonMessage(state, result));
    const given = result === undefined || !hasResult(state) ? [] : [createToolResult(result, this.#host)];
    this.#result.replaceChildren(...given);
    this.#fill();
    if (hadFocus && state !== "confirming") this.#summary.focus();
  }

  #showName(name: string): void {
    if (this.#name.textContent === name && this.element.hasAttribute("aria-label")) return;
    this.#name.textContent = name;
    this.#name.title = name;
    this.element.setAttribute("aria-label", t("Tool {0}", name));
  }

  #showReason(words: string): void {
    this.#reason.textContent = words;
    this.#reason.hidden = words === "";
  }

  #ask(isAsking: boolean, live: LiveCall | undefined): void {
    const next = isAsking ? JSON.stringify([live?.concern, live?.needsDialog]) : undefined;
    if (next === this.#askedFor) return;
    this.#askedFor = next;
    this.#question?.remove();
    this.#question = isAsking
      ? createToolQuestion(escapeInvisible(this.#call.name), live, (answer) => this.#answer(answer))
      : undefined;
    if (this.#question !== undefined) this.element.append(this.#question);
  }

  #unfold(isAsking: boolean): void {
    if (isAsking && !this.#details.open) {
      this.#details.open = true;
      this.#isOpenedByUs = true;
    } else if (!isAsking && this.#isOpenedByUs) {
      this.#details.open = false;
      this.#isOpenedByUs = false;
    }
  }

  /** Nothing is laid out until it is opened. */
  #fill(): void {
    if (this.#details.open) this.#arguments.show(this.#call.arguments);
  }

  #answer(answer: ToolAnswer): void {
    this.#host.post({ type: "toolAnswer", messageId: this.#messageId, callId: this.#call.id, answer });
  }
}

/**
 * Asks whether the call may run. If the decision needs a dialog, it is only made there. A call that may already have run,
 * or that something speaks against, can only be allowed once.
 */
function createToolQuestion(
  name: string,
  live: LiveCall | undefined,
  onAnswer: (answer: ToolAnswer) => void,
): HTMLElement {
  const needsDialog = live?.needsDialog === true;
  const answer = (label: string, given: ToolAnswer, kind: "primary" | "secondary"): HTMLElement =>
    textButton(label, () => onAnswer(given), kind);
  const run = (label: string, kind: "primary" | "secondary"): HTMLElement =>
    needsDialog ? answer(t("Review and Run…"), "review", kind) : answer(label, "once", kind);
  const ask = (): readonly [string, readonly HTMLElement[]] => {
    const reason = live?.concern?.reason;
    const place = live?.concern?.place ?? "";
    switch (reason) {
      case "again":
        return [
          t("{0} may already have run with these arguments. Run it again?", name),
          [run(t("Run Again"), "secondary"), answer(t("Don't Run Again"), "decline", "primary")],
        ];
      case "unwritten":
        return [
          t(
            "The conversation can't be saved right now. If VS Code closes before that is fixed, there is no record that {0} ran, and it could run again. Run it anyway?",
            name,
          ),
          [run(t("Run Anyway"), "secondary"), answer(t("Don't Run"), "decline", "primary")],
        ];
      case "copied":
      case "hidden":
      case "protected":
      case "imported":
        return [
          concernMessages[reason](name, place),
          [run(t("Allow Once"), "secondary"), answer(t("Decline"), "decline", "primary")],
        ];
      case "changed":
      case undefined:
        return [
          reason === undefined
            ? t("Run {0} with these arguments?", name)
            : t("{0} has changed since you allowed it ({1}). Run it with these arguments?", name, place),
          [
            run(t("Allow Once"), "primary"),
            ...(needsDialog ? [] : [answer(t("More Choices…"), "review", "secondary")]),
            answer(t("Decline"), "decline", "secondary"),
          ],
        ];
    }
  };
  const [words, buttons] = ask();
  return create(
    "div",
    { class: "tool-question", role: "group", "aria-label": words },
    create("p", {}, words),
    create("div", { class: "buttons" }, ...buttons),
  );
}

const concernMessages = {
  copied: (name, place) =>
    t("{0} would follow text that you didn't type, in {1}. Run it with these arguments?", name, place),
  hidden: (name) =>
    t("The arguments of {0} contain hidden characters, which are shown as codes. Run it anyway?", name),
  protected: (name) =>
    t("{0} would change settings, tasks, instructions, or programs that run later. Run it?", name),
  imported: (name) => t("This call of {0} comes from an imported conversation. Run it?", name),
} as const satisfies Readonly<
  Record<Exclude<CallConcern["reason"], "changed">, (name: string, place: string) => string>
>;

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
