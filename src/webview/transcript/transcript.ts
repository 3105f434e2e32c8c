import { t } from "@vscode/l10n";
import { modalitiesOf } from "../../core/compose/attachments/modalities.ts";
import type { Modality } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { Versions } from "../../core/conversation/messageTree.ts";
import type { PagePath, ToWebview } from "../../core/panel/protocol.ts";
import type { ResponseCheck } from "../../core/responses/structured/responseCheck.ts";
import { create } from "../kit/dom.ts";
import type { Comparison } from "./compare/comparison.ts";
import type { TurnKind } from "../kit/keyboard/keyboardNavigation.ts";
import { copyWholeSelection } from "./copySelection.ts";
import { MessageSlot } from "./messageSlot.ts";
import type { MessageView, TranscriptContext } from "./messageView.ts";
import type { MessageViews } from "./messageViews.ts";
import { RenderQueue } from "./renderQueue.ts";
import { revealMatches } from "./revealMatches.ts";
import { TranscriptWindow } from "./transcriptWindow.ts";
import type { ScrolledPart } from "./transcriptWindow.ts";
import { focusedStep, focusStep } from "./versionSwitch.ts";
import { stepThrough } from "./turnSteps.ts";

type Delta = Extract<ToWebview, { readonly type: "delta" }>;

/** Messages that build on the messages that are shown. */
export type TranscriptMessage = Extract<
  ToWebview,
  { readonly type: "messageAdded" | "messageChanged" | "path" | "earlier" }
>;

/** The messages of the conversation in order. */
export class Transcript {
  readonly element = create("div", {
    class: "transcript",
    role: "log",
    "aria-label": t("Conversation"),
    // Finished blocks are announced through the live region; announcing each token would be noise.
    "aria-live": "off",
    tabindex: "0",
  });
  readonly #context: TranscriptContext;
  readonly #queue: RenderQueue;
  readonly #window: TranscriptWindow;
  /** All messages of the path by ID, in order. */
  #slots = new Map<string, MessageSlot>();
  /** The modalities that a model needs for each message with attachments, by message ID. */
  readonly #modalities = new Map<string, readonly Modality[]>();
  #versions: Versions = {};
  #unsent: ReadonlySet<string> = new Set();
  #views: MessageViews | undefined;
  /** Loaded when responses are shown side by side for the first time. */
  #comparison: Comparison | undefined;
  /** The IDs of the responses that are shown side by side; empty if there is just one. */
  #compared: ReadonlySet<string> = new Set();
  #last: MessageSlot | undefined;

  constructor(context: Omit<TranscriptContext, "requestFrame">, onGrown: () => void) {
    this.#queue = new RenderQueue(onGrown);
    this.#context = { ...context, requestFrame: (view) => this.#queue.add(view) };
    this.#window = new TranscriptWindow(this.element, (message) => this.#create(message), this.#queue);
  }

  /** Whether messages can be shown. */
  get isLoaded(): boolean {
    return this.#views !== undefined;
  }

  async load(): Promise<void> {
    const { MessageViews } = await import("./messageViews.ts");
    this.#views ??= new MessageViews(this.element, this.#context);
    performance.mark("messages-loaded");
  }

  /** Call this once the transcript is on the page. */
  attach(part: ScrolledPart): void {
    this.#window.attach(part);
    copyWholeSelection(this.element, this.#window);
  }

  /** All messages of the path in order. */
  get slots(): readonly MessageSlot[] {
    return [...this.#slots.values()];
  }

  /** The element of a message, which is built if it isn't on the page; undefined until the message has arrived. */
  bringIn(slot: MessageSlot | undefined): HTMLElement | undefined {
    if (slot === undefined) return undefined;
    return this.#compared.has(slot.id) ? slot.element : this.#window.bringIn(slot);
  }

  /** The modalities that a model needs for the messages' attachments. */
  get modalities(): readonly Modality[] {
    const shown = [...this.#modalities].filter(([id]) => this.#slots.has(id));
    return [...new Set(shown.flatMap(([, modalities]) => modalities))];
  }

  get isEmpty(): boolean {
    return this.#slots.size === 0;
  }

  /** Call this when the browser has laid out what was rendered. */
  laidOut(): void {
    this.#queue.laidOut();
  }

  /** Shows these messages. Views whose message is unchanged or has only grown are left alone. */
  show(path: PagePath): void {
    this.#showFrom(0, path);
  }

  /** False if the message doesn't follow the current state, so something was lost. */
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
      case "earlier":
        for (const earlier of message.messages) this.#give(earlier);
        this.#window.update();
        return true;
    }
  }

  /** Marks the user's messages that later requests leave out. */
  showUnsent(ids: readonly string[]): void {
    const before = this.#unsent;
    this.#unsent = new Set(ids);
    for (const id of new Set([...before, ...ids])) {
      const slot = this.#slots.get(id);
      if (slot !== undefined) this.#setPosition(slot, slot === this.#last);
    }
  }

  /** Shows the host's check result for a response that has to be JSON. */
  showCheck(messageId: string, check: ResponseCheck): void {
    this.#slots.get(messageId)?.showCheck(check);
  }

  /** False if the delta doesn't follow the current state, so something was lost. */
  append(delta: Delta): boolean {
    const slot = this.#slots.get(delta.messageId);
    if (slot?.textLength !== delta.textOffset || slot.reasoningLength !== delta.reasoningOffset) return false;
    slot.append(delta.text, delta.reasoning);
    this.#comparison?.grown(delta.messageId);
    return true;
  }

  /** Scrolls to the message and to the first match of the words in it. */
  reveal(messageId: string, words: readonly string[], onLeave: () => void): void {
    revealMatches(this, messageId, words, onLeave);
  }

  /** Sets whether a response is in progress, in which case some actions aren't offered. */
  setStreaming(isStreaming: boolean): void {
    this.element.classList.toggle("busy", isStreaming);
  }

  get isBusy(): boolean {
    return this.element.classList.contains("busy");
  }

  /** The next element of this kind, starting from an element, anywhere in the conversation. */
  step(kind: TurnKind, from: HTMLElement, isForward: boolean): HTMLElement | undefined {
    return stepThrough(this.#window, this.element, { kind, from, isForward });
  }

  /** Opens the message of this element for editing, if possible. */
  edit(article: HTMLElement): void {
    if (!this.isBusy) this.#window.slotAt(article)?.view?.edit?.();
  }

  /** Opens the user's last message for editing. False if there is none. */
  editLast(): boolean {
    const slot = [...this.#slots.values()].findLast(({ role }) => role === "user");
    if (slot === undefined || this.#window.bringIn(slot) === undefined) return false;
    slot.view?.edit?.();
    return true;
  }

  /** Switches to another path: the first `keep` messages stay, followed by those of the path. */
  #showPath(keep: number, path: PagePath): void {
    const step = focusedStep();
    this.#showFrom(keep, path);
    const [first] = path.messages;
    const other = first === undefined ? undefined : this.#slots.get(first.id);
    if (step === undefined || other === undefined) return;
    const element = this.bringIn(other);
    if (element !== undefined) focusStep(element, step);
  }

  #showFrom(keep: number, { messages, versions, comparison, earlier = [] }: PagePath): void {
    this.#versions = versions;
    const old = [...this.#slots.values()];
    const kept = new Map(old.slice(keep).map((slot) => [slot.id, slot]));
    this.#slots = new Map(old.slice(0, keep).map((slot) => [slot.id, slot]));
    for (const outline of earlier) {
      this.#slots.set(outline.id, kept.get(outline.id) ?? new MessageSlot(outline));
      kept.delete(outline.id);
    }
    for (const message of messages) {
      const slot = kept.get(message.id);
      kept.delete(message.id);
      this.#slots.set(message.id, slot ?? MessageSlot.of(message));
      this.#give(message);
    }
    this.#compared = new Set(comparison.filter((id) => this.#slots.get(id)?.message !== undefined));
    this.#setPositions();
    this.#window.show([...this.#slots.values()].filter(({ id }) => !this.#compared.has(id)));
    for (const gone of kept.values()) gone.drop();
    this.#showCompared();
  }

  /** Sets the message of an existing slot, either for the first time or in its current form. */
  #give(message: Message): void {
    const { id, attachments, role } = message;
    if (attachments.length > 0) this.#modalities.set(id, modalitiesOf([message]));
    // The result of a tool is shown only as part of the response that requested it.
    if (role === "tool") this.#context.tools.put(message);
    this.#slots.get(id)?.update(message);
  }

  #add(message: Message): void {
    const isNew = !this.#slots.has(message.id);
    const slot = this.#slots.get(message.id) ?? MessageSlot.of(message);
    this.#slots.set(message.id, slot);
    this.#give(message);
    this.#setLastPosition();
    if (isNew) this.#window.add(slot);
    else this.#window.update(true);
  }

  #change({ messageId, change, length }: Extract<TranscriptMessage, { type: "messageChanged" }>): boolean {
    const slot = this.#slots.get(messageId);
    // A message that hasn't arrived yet will arrive in its current form.
    if (slot?.message === undefined) return true;
    if (slot.textLength + slot.reasoningLength !== length) return false;
    slot.change(change);
    if (slot.role === "tool") this.#context.tools.put(slot.message);
    this.#comparison?.change(messageId, change);
    return true;
  }

  #create(message: Message): MessageView {
    if (this.#views !== undefined) return this.#views.create(message);
    throw new Error("A message was shown before its views were loaded.");
  }

  async #loadComparison(): Promise<void> {
    const { Comparison } = await import("./compare/comparison.ts");
    this.#comparison ??= new Comparison(this.#context.host, this.#context.liveRegion);
    this.#showCompared();
  }

  #showCompared(): void {
    const comparison = this.#comparison;
    if (comparison === undefined && this.#compared.size > 0) return void this.#loadComparison();
    const responses = [...this.#compared].flatMap((id) => {
      const slot = this.#slots.get(id);
      const view = slot?.show((message) => this.#create(message));
      if (slot?.message === undefined || view === undefined) return [];
      if (!slot.isRendered) this.#queue.addLater(slot);
      return [[slot.message, view] as const];
    });
    const hasLostFocus = comparison?.show(responses) === true;
    if (responses.length === 0) comparison?.element.remove();
    else if (comparison !== undefined && comparison.element !== this.element.lastElementChild)
      this.element.append(comparison.element);
    if (hasLostFocus) this.element.focus();
    this.#window.update(true);
  }

  #setPositions(): void {
    this.#last = undefined;
    for (const slot of this.#slots.values()) this.#setPosition(slot, false);
    this.#setLastPosition();
  }

  /** Only the newest message can be tried again. */
  #setLastPosition(): void {
    const last = [...this.#slots.values()].findLast(({ role }) => role !== "tool");
    if (last === this.#last) return;
    if (this.#last !== undefined) this.#setPosition(this.#last, false);
    this.#last = last;
    if (last !== undefined) this.#setPosition(last, true);
  }

  #setPosition(slot: MessageSlot, isLast: boolean): void {
    const isCompared = this.#compared.has(slot.id);
    slot.setPosition({
      isLast: isLast && !isCompared,
      isCompared,
      isUnsent: this.#unsent.has(slot.id),
      versions: this.#versions[slot.id] ?? [],
    });
  }
}
