import { t } from "@vscode/l10n";
import type { ToolCall } from "../../core/completion.ts";
import type { Message } from "../../core/conversation.ts";
import type { ToolAnswer } from "../../core/tools/liveCalls.ts";
import { visibleText } from "../../core/visibleText.ts";
import { create, icon, iconButton, textButton } from "../dom.ts";
import type { Host } from "../host.ts";
import { describeTime } from "../times.ts";
import type { CallState } from "./toolWords.ts";
import { stateIcon, stateWords } from "./toolWords.ts";

/** UTF-16 units of a result that are shown in the card; the whole of it opens as a document. */
const shownLength = 4_000;

/** One call: its name, arguments and result folded away, and the question whether it may run. */
export class ToolCard {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #messageId: string;
  readonly #callId: string;
  readonly #details = create("details");
  readonly #summary = create("summary");
  readonly #icon = create("span", { "aria-hidden": "true" });
  readonly #state = create("span", { class: "tool-state" });
  readonly #arguments = create("pre", { tabindex: "0", dir: "ltr", "aria-label": t("Arguments") });
  readonly #result = create("div", { class: "tool-result" });
  readonly #name: string;
  /** There only while it is asked. */
  #question: HTMLElement | undefined;
  #shown: CallState | undefined;
  #text: string | undefined;
  /** Opened for the question; folded again after it, unless the user has had a hand in it. */
  #isOpenedByUs = false;

  constructor(messageId: string, call: ToolCall, host: Host) {
    this.#host = host;
    this.#messageId = messageId;
    this.#callId = call.id;
    const name = visibleText(call.name);
    this.#name = name;
    this.#summary.append(
      icon("chevron-right"),
      this.#icon,
      create("code", { class: "tool-name", dir: "auto" }, name),
      this.#state,
    );
    this.#details.append(
      this.#summary,
      create("div", { class: "tool-part" }, create("h3", {}, t("Arguments")), this.#arguments),
      this.#result,
    );
    const label = t("Tool {0}", name);
    this.element = create("div", { class: "tool-call", role: "group", "aria-label": label }, this.#details);
    this.#details.addEventListener("toggle", () => this.#fill());
    this.#summary.addEventListener("click", () => (this.#isOpenedByUs = false));
  }

  /** @param result The message that answers the call. */
  show(call: ToolCall, state: CallState, result: Message | undefined): void {
    this.#text = call.arguments;
    const time = result?.timing?.totalMs;
    this.#state.textContent =
      time === undefined ? stateWords(state) : `${stateWords(state)} · ${describeTime(time)}`;
    if (state === this.#shown && result === undefined) return;
    const hadFocus = this.#question?.contains(document.activeElement) === true;
    this.#shown = state;
    this.#icon.className = `codicon codicon-${stateIcon(state)}`;
    this.#icon.classList.toggle("codicon-modifier-spin", state === "running");
    this.element.dataset["state"] = state;
    this.#ask(state === "confirming");
    this.#unfold(state === "confirming");
    this.#showResult(result);
    this.#fill();
    if (hadFocus && state !== "confirming") this.#summary.focus();
  }

  #ask(isAsking: boolean): void {
    if (isAsking === (this.#question !== undefined)) return;
    this.#question?.remove();
    this.#question = isAsking ? this.#createQuestion(this.#name) : undefined;
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

  /** Nothing is laid out before it is looked at. */
  #fill(): void {
    if (!this.#details.open || this.#text === undefined) return;
    const text = visibleText(formatArguments(this.#text));
    if (this.#arguments.textContent !== text) this.#arguments.textContent = text;
  }

  #showResult(result: Message | undefined): void {
    if (result === undefined) return this.#result.replaceChildren();
    const { text, id } = result;
    const shown = text.length <= shownLength ? text : text.slice(0, shownLength);
    const copy = iconButton("copy", t("Copy result"), () => this.#host.post({ type: "copy", text }));
    copy.dataset["copy"] = "result";
    const heading = create("div", { class: "tool-heading" }, create("h3", {}, t("Result")), copy);
    const rest =
      shown === text
        ? []
        : [
            create(
              "p",
              { class: "tool-rest" },
              t("{0} of {1} characters are shown.", shown.length, text.length),
            ),
            textButton(t("Open Whole Result"), () =>
              this.#host.post({ type: "messageAction", action: "openToolResult", messageId: id }),
            ),
          ];
    const words = create(
      "pre",
      { tabindex: "0", dir: "auto", "aria-label": t("Result") },
      visibleText(shown),
    );
    this.#result.replaceChildren(create("div", { class: "tool-part" }, heading, words, ...rest));
  }

  #createQuestion(name: string): HTMLElement {
    const answer = (label: string, given: ToolAnswer, kind: "primary" | "secondary"): HTMLElement =>
      textButton(label, () => this.#answer(given), kind);
    const question = create("p", {}, t("May {0} run with these arguments?", name));
    const buttons = create(
      "div",
      { class: "buttons" },
      answer(t("Allow Once"), "once", "primary"),
      answer(t("Allow in This Conversation"), "conversation", "secondary"),
      answer(t("Always Allow"), "always", "secondary"),
      answer(t("Decline"), "decline", "secondary"),
    );
    const group = create("div", {
      class: "tool-question",
      role: "group",
      "aria-label": question.textContent ?? "",
    });
    group.append(question, buttons);
    return group;
  }

  #answer(answer: ToolAnswer): void {
    this.#host.post({ type: "toolAnswer", messageId: this.#messageId, callId: this.#callId, answer });
  }
}

/** Indented where it is JSON, as the model wrote it where it isn't. */
function formatArguments(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
