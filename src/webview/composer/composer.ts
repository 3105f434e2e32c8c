import type { IconName } from "../../core/kernel/iconNames.ts";
import { t } from "@vscode/l10n";
import { emptyDraft } from "../../core/conversation/conversationStore.ts";
import type { Draft as KeptDraft } from "../../core/conversation/conversationStore.ts";
import type { Composition, ContextToWebview } from "../../core/compose/context/contextProtocol.ts";
import type { FilesMessage, ModelPicker, ToWebview } from "../../core/panel/protocol.ts";
import type { SendKey } from "../../core/panel/settings/chatPreferences.ts";
import type { Modality } from "../../core/conversation/completion.ts";
import { ComposerAttachments } from "./attachments/composerAttachments.ts";
import { escapeInvisible } from "../../core/kernel/foreignText.ts";
import { isLongText, pastedPart } from "../../core/compose/context/pastedText.ts";
import { replaceText } from "./context/replaceText.ts";
import { Suggestions } from "./context/suggestions.ts";
import { create, icon, iconButton } from "../kit/dom.ts";
import { enterWith } from "../kit/keyboard/fieldKeys.ts";
import { isSendKey } from "../kit/keyboard/toolbars.ts";
import type { Host } from "../kit/host.ts";
import { ComposerBar, ModelButton } from "./composerBar.ts";
import { attachLongText, longestInField } from "./longText.ts";
import type { LongText } from "./longText.ts";
import { DraftSaver } from "./draftSaver.ts";

/** Milliseconds within which Escape has to be pressed again to stop a response. */
const secondKeyTime = 3_000;

/** The area where a message is written, its model is chosen, and a response is stopped. */
export class Composer {
  readonly element: HTMLElement;
  readonly #host: Host;
  readonly #onSend: () => void;
  readonly #draft: DraftSaver;
  readonly #model: ModelButton;
  readonly #attachments: ComposerAttachments;
  readonly #suggestions: Suggestions;
  readonly #longText: LongText;
  readonly #bar: ComposerBar;
  readonly #text = create("textarea", {
    "aria-label": t("Message"),
    rows: "1",
    dir: "auto",
    placeholder: t("Ask a model…"),
  });
  readonly #compare = iconButton("split-horizontal", t("Ask Several Models"), () => this.#askSeveral());
  readonly #send = actionButton("send", t("Send"));
  readonly #stopAndSend = actionButton("arrow-circle-up", t("Stop and Send ({0})", enterWith("Alt")));
  readonly #stop = actionButton("debug-stop", t("Stop"));
  /** Says that Escape has to be pressed again. */
  readonly #hint = create("p", { class: "composer-hint", role: "status", hidden: "" });
  #hintTimer: ReturnType<typeof setTimeout> | undefined;
  #isStreaming = false;
  #isReady = true;
  #onChange: (writing: KeptDraft) => void = () => undefined;
  #sendKey: SendKey = "enter";

  constructor(host: Host, onSend: () => void) {
    this.#host = host;
    this.#onSend = onSend;
    this.#draft = new DraftSaver(host);
    this.#model = new ModelButton(host);
    this.#attachments = new ComposerAttachments(host, {
      onChange: () => this.#onAttachments(),
      onLeave: () => this.focus(),
      onInsert: (text) => this.#longText.insert(text),
    });
    this.#suggestions = new Suggestions(host, this.#text);
    const addContext = iconButton(
      "symbol-numeric",
      t("Add context: files, selection, problems, and more (#)"),
      () => this.#suggestions.open(),
    );
    this.#stopAndSend.classList.add("is-secondary");
    this.#bar = new ComposerBar({
      model: this.#model.element,
      extras: [addContext, this.#attachments.button, this.#compare],
      actions: [this.#send, this.#stopAndSend, this.#stop],
    });
    this.element = create(
      "div",
      { class: "composer" },
      this.#attachments.element,
      this.#text,
      this.#hint,
      this.#bar.element,
    );
    this.#longText = attachLongText(this.#text, {
      attach: (text) => this.#attachments.addLongText(text),
      onPaste: (text) => host.post({ type: "pasted", text }),
    });
    this.#text.addEventListener("input", () => this.#onInput());
    this.#text.addEventListener("keydown", (event) => this.#onKey(event));
    this.#send.addEventListener("click", () => this.#sendText());
    this.#stopAndSend.addEventListener("click", () => this.#sendText(true));
    this.#stop.addEventListener("click", () => this.#stopResponses());
    this.#update();
  }

  /** The list of suggestions for `#` and `/`, which is shown above the composer. */
  get suggestions(): HTMLElement {
    return this.#suggestions.element;
  }

  focus(): void {
    this.#text.focus();
  }

  /** Inserts the text at the caret as if it had been typed. */
  type(text: string): void {
    const { selectionStart, selectionEnd } = this.#text;
    replaceText(this.#text, selectionStart, selectionEnd, text);
    this.focus();
  }

  /**
   * Stops all responses in progress; false if there are none. A key has to be pressed twice, because Escape is also
   * pressed out of habit, and the response is lost money.
   */
  stopByKey(): boolean {
    if (!this.#isStreaming) return false;
    if (this.#hint.hidden) this.#askForSecondKey();
    else this.#stopResponses();
    return true;
  }

  #askForSecondKey(): void {
    this.#hint.hidden = false;
    this.#hint.textContent = t("Press Escape again to stop the response.");
    this.#hintTimer = setTimeout(() => this.#hideHint(), secondKeyTime);
  }

  #hideHint(): void {
    clearTimeout(this.#hintTimer);
    this.#hint.hidden = true;
    this.#hint.textContent = "";
  }

  #stopResponses(): void {
    if (this.#isStreaming) this.#host.post({ type: "stop" });
    this.#hideHint();
  }

  /** Puts text into the composer for the user to review and send. */
  write(given: string): void {
    const text = escapeInvisible(given);
    this.#text.value = isLongText(text) ? "" : text;
    if (isLongText(text)) this.#attachments.addLongText(text);
    this.#onInput();
    this.focus();
  }

  /** The listener is called with the content of the composer whenever it has changed. */
  onDidChange(listener: (writing: KeptDraft) => void): void {
    this.#onChange = listener;
  }

  get isEmpty(): boolean {
    return this.#text.value === "" && this.#attachments.parts.length === 0;
  }

  /** Restores the draft that the host has stored. */
  restore(kept: KeptDraft): void {
    const { text, attachments } = withoutLongText(kept);
    this.#text.value = text;
    this.#attachments.restore(attachments);
    this.#draft.restore({ text, attachments: this.#attachments.parts });
    this.#update();
  }

  /** Shows another window's draft, but never overwrites text that the host doesn't have yet. */
  takeDraft({ draft, over, isChosen }: Extract<ToWebview, { readonly type: "draft" }>): void {
    const isOver = this.#text.value === over && !this.#attachments.isBusy;
    if (!isOver) return isChosen ? this.begin(draft) : undefined;
    this.restore(draft);
    this.#host.post({ type: "draft", text: draft.text, attachments: this.#attachments.parts });
  }

  /** Shows a draft on a new page, or what couldn't be sent: what has been written meanwhile is appended to it. */
  begin({ text, attachments }: KeptDraft): void {
    const typed = this.#text.value;
    this.restore({ text, attachments: [...attachments, ...this.#attachments.parts] });
    const { value } = this.#text;
    this.#text.value = value === "" || typed === "" ? value + typed : `${value}\n${typed}`;
    const draft = { text: this.#text.value, attachments: this.#attachments.parts };
    this.#draft.restore(draft);
    if (typed !== "" || draft.attachments.length > attachments.length)
      this.#host.post({ type: "draft", ...draft });
    this.#update();
  }

  /** The modalities that the existing messages require from a model. */
  showConversation(modalities: readonly Modality[]): void {
    this.#attachments.showConversation(modalities);
  }

  receive(message: FilesMessage | ContextToWebview): void {
    if (message.type === "suggestions") this.#suggestions.receive(message);
    else if (message.type === "compose") this.#compose(message);
    else this.#attachments.receive(message);
  }

  /** Adds a control next to the model. */
  addControl(control: HTMLElement): void {
    this.#bar.addControl(control);
  }

  /** Closes anything open in the bar; false if nothing is open. */
  close(): boolean {
    return this.#bar.close();
  }

  setSendKey(sendKey: SendKey): void {
    this.#sendKey = sendKey;
  }

  /** Whether this key sends, according to the user's setting. Applies to the composer and to editing a message. */
  isSendKey(event: KeyboardEvent): boolean {
    return isSendKey(event, this.#sendKey);
  }

  showPicker(picker: ModelPicker): void {
    this.#model.show(picker);
    this.#attachments.showPicker(picker);
  }

  setStreaming(isStreaming: boolean): void {
    if (isStreaming === this.#isStreaming) return;
    const focused = [this.#stop, this.#stopAndSend, this.#send].find(
      (button) => button === document.activeElement,
    );
    this.#isStreaming = isStreaming;
    this.#hideHint();
    this.#update();
    // If the focused button was removed, the focus stays in the composer.
    if (focused?.hidden === true) this.focus();
  }

  setReady(isReady: boolean): void {
    this.#isReady = isReady;
    this.#update();
  }

  get #canSend(): boolean {
    const hasContent = this.#text.value.trim() !== "" || this.#attachments.parts.length > 0;
    return this.#isReady && hasContent && !this.#attachments.isBusy;
  }

  #onAttachments(): void {
    if (!this.#attachments.isBusy) {
      this.#draft.changeAttachments(this.#text.value, this.#attachments.parts);
    }
    this.#update();
  }

  #compose({ text: given, parts, notice }: Composition): void {
    const text = escapeInvisible(given);
    this.#attachments.addTexts(parts, notice);
    const { selectionStart, selectionEnd } = this.#text;
    if (isLongText(text)) this.#attachments.addLongText(text);
    else if (text !== "") replaceText(this.#text, selectionStart, selectionEnd, text);
  }

  #onInput(): void {
    this.#hideHint();
    this.#draft.change(this.#text.value);
    this.#update();
  }

  #onKey(event: KeyboardEvent): void {
    if (this.#suggestions.takeKey(event) || !this.isSendKey(event)) return;
    event.preventDefault();
    this.#sendText(event.altKey);
  }

  /** While a response streams, the message is queued, or sent in place of the rest of the response. */
  #sendText(stopsFirst = false): void {
    if (!this.#canSend) return;
    const message = { type: "send", text: this.#text.value, attachments: this.#attachments.parts } as const;
    this.#host.post(stopsFirst && this.#isStreaming ? { ...message, stopFirst: true } : message);
    // The host clears its draft when it sends or queues the message.
    this.restore(emptyDraft);
    this.focus();
    this.#onSend();
  }

  /** The host asks for the models, and clears the composer once they are chosen. */
  #askSeveral(): void {
    if (this.#isStreaming || this.#attachments.isBusy) return;
    this.#host.post({ type: "compare", text: this.#text.value, attachments: this.#attachments.parts });
  }

  #update(): void {
    this.#onChange({ text: this.#text.value, attachments: this.#attachments.parts });
    const canSend = this.#canSend;
    this.#send.hidden = this.#isStreaming && !canSend;
    this.#stopAndSend.hidden = !this.#isStreaming || !canSend;
    setLabel(this.#send, this.#isStreaming ? t("Add to Queue") : t("Send"));
    this.#compare.hidden = this.#isStreaming || !this.#isReady;
    this.#stop.hidden = !this.#isStreaming;
    // Only one button is emphasized: what Enter does, or Stop while there is nothing to send.
    this.#stop.classList.toggle("is-secondary", canSend);
    this.#send.disabled = !canSend;
  }
}

/** A draft whose text is too long for a text field, with that text as an attachment. */
function withoutLongText({ text, attachments }: KeptDraft): KeptDraft {
  if (text.length <= longestInField) return { text, attachments };
  return { text: "", attachments: [...attachments, pastedPart(text)] };
}

function setLabel(button: HTMLElement, label: string): void {
  button.title = label;
  button.ariaLabel = label;
}

function actionButton(iconName: IconName, label: string): HTMLButtonElement {
  return create(
    "button",
    { type: "button", class: "action-button", title: label, "aria-label": label },
    icon(iconName),
  );
}
