import { t } from "@vscode/l10n";
import { pastedPart } from "../../core/compose/context/pastedText.ts";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import { AttachmentTray } from "../composer/attachments/attachmentTray.ts";
import { createMessageAttachments } from "../composer/attachments/loadAttachmentViews.ts";
import { attachLongText, longestInField } from "../composer/longText.ts";
import { create, iconButton, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";
import { createToolbar } from "../kit/keyboard/toolbars.ts";
import { editEvent, pasteEvent } from "./pageStateKeeper.ts";
import { MessageNote } from "./messageNote.ts";
import type { MessageContext, MessagePosition, MessageView } from "./messageView.ts";
import { VersionSwitch, createForkButton } from "./versionSwitch.ts";

/** A message that doesn't grow, shown as it was written. One of the user's own messages can be edited. */
export class UserMessage implements MessageView {
  readonly element: HTMLElement;
  readonly textLength: number;
  readonly reasoningLength: number;
  readonly isShown = true;
  readonly #message: Message;
  readonly #context: MessageContext;
  readonly #versions: VersionSwitch;
  readonly #text: HTMLElement;
  readonly #foot: HTMLElement;
  readonly #note: MessageNote;
  #editor: MessageEditor | undefined;
  /** The element that had the focus before the editor. */
  #focused: Element | null = null;

  constructor(message: Message, context: MessageContext) {
    this.#message = message;
    this.#context = context;
    this.textLength = message.text.length;
    this.reasoningLength = message.reasoning.length;
    this.#versions = new VersionSwitch(context.host, message.id);
    this.#text = createPlainText(message.text);
    this.#note = new MessageNote(context.host, message.id);
    const author = authorOf(message);
    this.#foot = createToolbar(
      t("Message actions"),
      { class: "message-foot" },
      ...this.#createButtons(),
      this.#versions.element,
    );
    this.element = create(
      "article",
      { class: `message ${message.role}`, "aria-label": author, "data-message-id": message.id },
      create("h2", { class: "author" }, author),
      ...createMessageAttachments(message.attachments),
      this.#text,
      this.#note.element,
      this.#foot,
    );
  }

  update(next: Message): boolean {
    return next.text === this.#message.text && next.role === this.#message.role;
  }

  append(): void {}

  change(): void {}

  render(): void {}

  renderAll(): void {}

  setPosition({ isLast, isUnsent = false, versions }: MessagePosition): void {
    this.element.classList.toggle("last", isLast);
    this.#note.show(isUnsent);
    this.#versions.show(versions);
  }

  edit(kept?: string): void {
    if (this.#message.role !== "user" || this.#editor !== undefined) return;
    const { id, text, attachments } = this.#message;
    this.#focused = document.activeElement;
    const { host } = this.#context;
    this.#editor = createMessageEditor({
      host,
      text: kept ?? text,
      onChange: (edited) => this.#noteEdit(edited),
      onPaste: (pasted) => {
        host.post({ type: "pasted", text: pasted });
        this.element.dispatchEvent(new CustomEvent(pasteEvent, { detail: pasted, bubbles: true }));
      },
      isSendKey: (event) => this.#context.isSendKey(event),
      onSend: (edited, added) => {
        host.post({
          type: "edit",
          messageId: id,
          text: edited,
          attachments: [...attachments, ...added],
        });
        this.#closeEditor();
      },
      onCancel: () => this.#closeEditor(),
    });
    this.#text.hidden = true;
    this.#foot.hidden = true;
    this.element.classList.add("editing");
    this.#text.after(this.#editor.element);
    if (kept === undefined) this.#editor.focus();
  }

  #noteEdit(edited: string | undefined): void {
    this.element.dispatchEvent(new CustomEvent(editEvent, { detail: edited, bubbles: true }));
  }

  #closeEditor(): void {
    this.#noteEdit(undefined);
    this.#editor?.element.remove();
    this.#editor = undefined;
    this.element.classList.remove("editing");
    this.#text.hidden = false;
    this.#foot.hidden = false;
    const before = this.#focused;
    const isGone = before === null || before === document.body || !before.isConnected;
    const next = isGone ? this.#foot.querySelector("button") : before;
    if (next instanceof HTMLElement) next.focus();
  }

  #createButtons(): readonly HTMLElement[] {
    const { host } = this.#context;
    const { id, role, text } = this.#message;
    const copy = iconButton("copy", t("Copy Message"), () => host.post({ type: "copy", text }));
    copy.dataset["copy"] = "message";
    if (role !== "user") return [copy];
    const edit = iconButton("edit", t("Edit Message"), () => this.edit());
    edit.classList.add("idle-only");
    return [edit, copy, createForkButton(host, id)];
  }
}

function authorOf({ role }: Message): string {
  if (role === "user") return t("You");
  return role === "system" ? t("System") : t("Tool");
}

/** UTF-16 code units of a text that is laid out as one node. The blocks of a longer text are about half that long. */
const mostInOneBlock = 16_000;

/** A text as it was written. A long one is split into blocks, so that only those near the viewport are laid out. */
function createPlainText(text: string): HTMLElement {
  const element = create("div", { class: "plain-text", dir: "auto" });
  if (text.length <= mostInOneBlock) {
    element.append(text);
    return element;
  }
  element.classList.add("in-blocks");
  element.append(...cutText(text, mostInOneBlock / 2).map((block) => create("div", {}, block)));
  element.addEventListener("copy", (event) => copyWithoutCuts(event, element));
  return element;
}

/**
 * Splits a text at the first line end or, failing that, the first space after `length` code units, and no later than
 * twice that length.
 */
function cutText(text: string, length: number): readonly string[] {
  const blocks: string[] = [];
  for (let start = 0; start < text.length;) {
    const rest = text.slice(start, start + 2 * length);
    const lineEnd = rest.indexOf("\n", length);
    const space = lineEnd === -1 ? rest.indexOf(" ", length) : lineEnd;
    const isInsidePair = /[\ud800-\udbff]$/.test(rest) && rest.length < text.length - start;
    const end = space === -1 || rest.length < length ? rest.length - (isInsidePair ? 1 : 0) : space + 1;
    blocks.push(rest.slice(0, end));
    start += end;
  }
  return blocks;
}

/** Keeps blocks that end in the middle of a line from adding line breaks to the copied text. */
function copyWithoutCuts(event: ClipboardEvent, element: HTMLElement): void {
  const selection = getSelection();
  if (selection === null || selection.isCollapsed || event.clipboardData === null) return;
  const range = selection.getRangeAt(0);
  if (!element.contains(range.commonAncestorContainer)) return;
  event.clipboardData.setData("text/plain", range.toString());
  event.preventDefault();
}

interface MessageEditorOptions {
  readonly host: Host;
  readonly text: string;
  isSendKey(event: KeyboardEvent): boolean;
  /** Called with the text at each change. */
  onChange(text: string): void;
  onPaste(text: string): void;
  /** @param added Long texts that became attachments. */
  onSend(text: string, added: readonly ContentPart[]): void;
  onCancel(): void;
}

interface MessageEditor {
  readonly element: HTMLElement;
  /** Call this once the element has been placed. */
  focus(): void;
}

/** The editor for one of the user's messages. Sending it creates another version of the message. */
function createMessageEditor(options: MessageEditorOptions): MessageEditor {
  const { host, text, onChange, isSendKey, onSend, onCancel } = options;
  const area = create("textarea", {
    "aria-label": t("Edit Message"),
    rows: "1",
    dir: "auto",
    class: "message-edit",
  });
  const tray = new AttachmentTray(
    host,
    () => undefined,
    () => area.focus(),
    (pasted) => longText.insert(pasted),
  );
  const attach = (long: string): (() => void) => {
    const part = pastedPart(long);
    tray.add(part);
    return () => tray.remove(part);
  };
  const longText = attachLongText(area, { attach, onPaste: options.onPaste });
  // A text field with a long text would block the page at each keystroke.
  if (text.length > longestInField) attach(text);
  else area.value = text;
  area.addEventListener("input", () => onChange(area.value));
  const send = (): void => {
    if (area.value.trim() !== "" || tray.parts.length > 0) onSend(area.value, tray.parts);
  };
  area.addEventListener("keydown", (event) => {
    // While an input method is composing, Escape only discards its suggestion.
    if (event.key === "Escape" && !event.isComposing) {
      event.stopPropagation();
      onCancel();
    } else if (isSendKey(event)) {
      event.preventDefault();
      send();
    }
  });
  const buttons = create(
    "div",
    { class: "buttons" },
    textButton(t("Send"), send, "primary"),
    textButton(t("Cancel"), onCancel),
  );
  return {
    element: create("div", { class: "message-editor" }, tray.element, area, buttons),
    focus() {
      area.focus();
      area.setSelectionRange(area.value.length, area.value.length);
    },
  };
}
