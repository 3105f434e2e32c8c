import { t } from "@vscode/l10n";
import type { Role } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import { createMessageAttachments } from "../composer/attachments/messageAttachments.ts";
import { create, iconButton, textButton } from "../kit/dom.ts";
import { createToolbar } from "../kit/keyboard/toolbars.ts";
import { MessageNote } from "./messageNote.ts";
import type { MessageContext, MessagePlace, MessageView } from "./messageView.ts";
import { VersionSwitch } from "./versionSwitch.ts";

/** A message that doesn't grow: shown as it was written. One of the user's can be written anew. */
export class UserMessage implements MessageView {
  readonly element: HTMLElement;
  readonly role: Role;
  readonly textLength: number;
  readonly reasoningLength: number;
  readonly #message: Message;
  readonly #context: MessageContext;
  readonly #versions: VersionSwitch;
  readonly #text: HTMLElement;
  readonly #foot: HTMLElement;
  readonly #note: MessageNote;
  #editor: MessageEditor | undefined;
  /** Where the focus was before the editor had it. */
  #focused: Element | null = null;

  constructor(message: Message, context: MessageContext) {
    this.#message = message;
    this.#context = context;
    this.role = message.role;
    this.textLength = message.text.length;
    this.reasoningLength = message.reasoning.length;
    this.#versions = new VersionSwitch(context.host, message.id);
    this.#text = create("div", { class: "plain-text", dir: "auto" }, message.text);
    this.#note = new MessageNote(context.host, message.id, message.isDamaged === true);
    const author = authorOf(message);
    const attachments = createMessageAttachments(message.attachments);
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
      ...(attachments === undefined ? [] : [attachments]),
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

  place({ isLast, isUnsent = false, versions }: MessagePlace): void {
    this.element.classList.toggle("last", isLast);
    this.#note.show(isUnsent);
    this.#versions.show(versions);
  }

  /** Opens the message for writing it anew. */
  edit(): void {
    if (this.#message.role !== "user" || this.#editor !== undefined) return;
    const { id, text, attachments } = this.#message;
    this.#focused = document.activeElement;
    this.#editor = createMessageEditor({
      text,
      isSendKey: (event) => this.#context.isSendKey(event),
      onSend: (edited) => {
        this.#context.host.post({ type: "edit", messageId: id, text: edited, attachments });
        this.#closeEditor();
      },
      onCancel: () => this.#closeEditor(),
    });
    this.#text.hidden = true;
    this.#foot.hidden = true;
    this.element.classList.add("editing");
    this.#text.after(this.#editor.element);
    this.#editor.focus();
  }

  #closeEditor(): void {
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
    const copy = iconButton("copy", t("Copy message"), () => host.post({ type: "copy", text }));
    copy.dataset["copy"] = "message";
    if (role !== "user") return [copy];
    const edit = iconButton("edit", t("Edit message"), () => this.edit());
    edit.classList.add("idle-only");
    const fork = iconButton("repo-forked", t("Fork conversation here"), () =>
      host.post({ type: "messageAction", action: "fork", messageId: id }),
    );
    return [edit, copy, fork];
  }
}

function authorOf({ role }: Message): string {
  if (role === "user") return t("You");
  return role === "system" ? t("System") : t("Tool");
}

interface MessageEditorOptions {
  readonly text: string;
  isSendKey(event: KeyboardEvent): boolean;
  onSend(text: string): void;
  onCancel(): void;
}

interface MessageEditor {
  readonly element: HTMLElement;
  /** To be called once the element has its place. */
  focus(): void;
}

/** Where one of the user's messages is written anew; sending it makes a version of its own. */
function createMessageEditor({ text, isSendKey, onSend, onCancel }: MessageEditorOptions): MessageEditor {
  const area = create("textarea", {
    "aria-label": t("Edit message"),
    rows: "1",
    dir: "auto",
    class: "message-edit",
  });
  area.value = text;
  const send = (): void => {
    if (area.value.trim() !== "") onSend(area.value);
  };
  area.addEventListener("keydown", (event) => {
    // While an input method composes, Escape takes back what it proposes, and nothing else.
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
    element: create("div", { class: "message-editor" }, area, buttons),
    focus() {
      area.focus();
      area.setSelectionRange(area.value.length, area.value.length);
    },
  };
}
