import { t } from "@vscode/l10n";
import { sensesOf } from "../../core/attachments/senses.ts";
import type { Sense } from "../../core/attachments/senses.ts";
import type { Message } from "../../core/conversation.ts";
import type { PathView, Versions } from "../../core/messageTree.ts";
import type { ToWebview } from "../../core/protocol.ts";
import type { AnswerCheck } from "../../core/structured/answerCheck.ts";
import { create } from "../dom.ts";
import { Comparison } from "../compare/comparison.ts";
import { AssistantMessage } from "./assistantMessage.ts";
import { DeferredMessage } from "./deferredMessage.ts";
import type { MessageContext, MessageView } from "./messageView.ts";
import { RenderQueue } from "./renderQueue.ts";
import { revealWords } from "./revealWords.ts";
import { focusedStep, focusStep } from "./versionSwitch.ts";
import { createToolMessage } from "../tools/toolMessage.ts";
import { UserMessage } from "./userMessage.ts";

type Delta = Extract<ToWebview, { readonly type: "delta" }>;

/** What builds on the messages that are shown. */
export type TranscriptMessage = Extract<
  ToWebview,
  { readonly type: "messageAdded" | "messageChanged" | "path" }
>;

/** How many of the newest messages are built at once; the others follow frame by frame. */
const messagesAtOnce = 8;

/** The messages of the conversation, in their order. */
export class Transcript {
  readonly element = create("div", {
    class: "transcript",
    role: "log",
    "aria-label": t("Conversation"),
    // Blocks are announced by the live region when they are finished; tokens would be noise.
    "aria-live": "off",
    tabindex: "0",
  });
  readonly #context: MessageContext;
  readonly #queue: RenderQueue;
  #views = new Map<string, MessageView>();
  /** What a model needs for the attachments of each message that has any, by its id. */
  readonly #senses = new Map<string, readonly Sense[]>();
  #versions: Versions = {};
  readonly #comparison: Comparison;
  /** The answers that stand side by side, by their ids; empty where there is just one. */
  #compared = new Map<string, Message>();

  constructor(context: Omit<MessageContext, "requestFrame">, onGrown: () => void) {
    this.#queue = new RenderQueue(onGrown);
    this.#context = { ...context, requestFrame: (view) => this.#queue.add(view) };
    this.#comparison = new Comparison(context.host, context.liveRegion);
  }

  /** What a model needs for the attachments of the messages. */
  get senses(): readonly Sense[] {
    const shown = [...this.#senses].filter(([id]) => this.#views.has(id));
    return [...new Set(shown.flatMap(([, senses]) => senses))];
  }

  get isEmpty(): boolean {
    return this.#views.size === 0;
  }

  /** To be called when the browser has laid out what was rendered. */
  laidOut(): void {
    this.#queue.laidOut();
  }

  /** Shows these messages; views whose message is the same or only grew are left alone. */
  show({ messages, versions, comparison }: PathView): void {
    this.#versions = versions;
    this.#compare(comparison, messages);
    const old = this.#views;
    this.#views = new Map();
    this.#showRest(messages, old);
  }

  /** False when the message doesn't follow what is here: something was lost. */
  receive(message: TranscriptMessage): boolean {
    switch (message.type) {
      case "messageAdded":
        this.#add(message.message);
        return true;
      case "messageChanged":
        return this.#change(message);
      case "path":
        this.#showPath(message.keep, message.path);
        return true;
    }
  }

  /** What the host has found of an answer that had to be JSON. */
  showCheck(messageId: string, check: AnswerCheck): void {
    void this.#views.get(messageId)?.structured?.show(check);
  }

  /** False when the delta doesn't follow what is here: something was lost. */
  append(delta: Delta): boolean {
    const view = this.#views.get(delta.messageId);
    if (view?.textLength !== delta.textOffset || view.reasoningLength !== delta.reasoningOffset) return false;
    view.append(delta.text, delta.reasoning);
    this.#comparison.grown(delta.messageId);
    return true;
  }

  /** Scrolls to the message, and to the first of the words in it. */
  reveal(messageId: string, words: readonly string[], onLeave: () => void): void {
    revealWords(() => this.#views.get(messageId)?.element, words, onLeave);
  }

  /** Whether an answer is under way: what can't be done meanwhile is not offered. */
  setStreaming(isStreaming: boolean): void {
    this.element.classList.toggle("busy", isStreaming);
  }

  get isBusy(): boolean {
    return this.element.classList.contains("busy");
  }

  /** Opens the message of this element for writing it anew, where that can be. */
  edit(article: HTMLElement): void {
    if (!this.isBusy) this.#views.get(article.dataset["messageId"] ?? "")?.edit?.();
  }

  /** Opens the user's last message for writing it anew; false where there is none. */
  editLast(): boolean {
    const view = [...this.#views.values()].findLast(({ role }) => role === "user");
    view?.edit?.();
    return view !== undefined;
  }

  /** Another path: the first `keep` messages stay, those of the path follow them. */
  #showPath(keep: number, { messages, versions, comparison }: PathView): void {
    this.#versions = versions;
    this.#compare(comparison, messages);
    const step = focusedStep();
    const views = [...this.#views];
    this.#views = new Map(views.slice(0, keep));
    this.#showRest(messages, new Map(views.slice(keep)));
    const [first] = messages;
    const other = first === undefined ? undefined : this.#views.get(first.id);
    if (step !== undefined && other !== undefined) focusStep(other.element, step);
  }

  #showRest(messages: readonly Message[], old: Map<string, MessageView>): void {
    for (const [index, message] of messages.entries()) {
      this.#rememberSenses(message);
      const kept = old.get(message.id);
      // The result of a tool is nothing but a part of the answer that asked for it.
      const isNew = index >= messages.length - messagesAtOnce || message.role === "tool";
      const view = kept?.update(message) ? kept : isNew ? this.#create(message) : this.#defer(message);
      if (view === kept) old.delete(message.id);
      else this.#queue.addLater(view);
      this.#views.set(message.id, view);
    }
    for (const gone of old.values()) gone.element.remove();
    this.#order();
  }

  /** What a tool gave beside text is for the user alone. */
  #rememberSenses({ id, role, attachments }: Message): void {
    if (attachments.length > 0 && role !== "tool") this.#senses.set(id, sensesOf(attachments));
  }

  #add(message: Message): void {
    this.#rememberSenses(message);
    const old = this.#views.get(message.id);
    if (old?.update(message)) return;
    const view = this.#create(message);
    if (old === undefined) this.element.append(view.element);
    else old.element.replaceWith(view.element);
    this.#views.set(message.id, view);
    this.#queue.add(view);
    this.#placeAll();
  }

  #change({ messageId, change, length }: Extract<TranscriptMessage, { type: "messageChanged" }>): boolean {
    const view = this.#views.get(messageId);
    if (view === undefined) return true;
    if (view.textLength + view.reasoningLength !== length) return false;
    view.change(change);
    this.#comparison.change(messageId, change);
    return true;
  }

  #defer(message: Message): MessageView {
    return new DeferredMessage(message, (later) => this.#create(later));
  }

  #create(message: Message): MessageView {
    if (message.role === "tool") return createToolMessage(message, this.#context.tools);
    return message.role === "assistant"
      ? new AssistantMessage(message, this.#context)
      : new UserMessage(message, this.#context);
  }

  /** Puts the elements into the order of the messages, moving only those that stand elsewhere. */
  #order(): void {
    let place = this.element.firstElementChild;
    for (const [id, { element }] of this.#views) {
      if (this.#compared.has(id)) continue;
      if (element === place) place = place.nextElementSibling;
      else this.element.insertBefore(element, place);
    }
    this.#orderCompared();
    this.#placeAll();
  }

  /** Which answers are to stand side by side. What is known of them already was told with an earlier path. */
  #compare(ids: readonly string[], messages: readonly Message[]): void {
    const known = new Map([...this.#compared, ...messages.map((message) => [message.id, message] as const)]);
    const answers = ids.flatMap((id) => known.get(id) ?? []);
    this.#compared = new Map(answers.map((message) => [message.id, message]));
  }

  #orderCompared(): void {
    const answers = [...this.#compared.values()].flatMap((message) => {
      const view = this.#views.get(message.id);
      return view === undefined ? [] : [[message, view] as const];
    });
    const { element } = this.#comparison;
    const hasLostFocus = this.#comparison.show(answers);
    if (answers.length === 0) element.remove();
    else if (element !== this.element.lastElementChild) this.element.append(element);
    this.element.parentElement?.classList.toggle("wide", answers.length > 0);
    if (hasLostFocus) this.element.focus();
  }

  #placeAll(): void {
    const last = [...this.#views.values()].findLast(({ role }) => role !== "tool");
    for (const [id, view] of this.#views) {
      const isCompared = this.#compared.has(id);
      const isLast = view === last && !isCompared;
      view.place({ isLast, isCompared, versions: this.#versions[id] ?? [] });
    }
  }
}
