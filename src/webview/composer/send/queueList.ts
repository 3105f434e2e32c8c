import { t } from "@vscode/l10n";
import type { QueueView } from "../../../core/compose/send/queueSender.ts";
import { create, icon, iconButton, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";

type QueuedView = QueueView["messages"][number];

/** A message whose text is being edited. */
interface Editing {
  readonly id: string;
  readonly area: HTMLTextAreaElement;
}

interface QueueListContext {
  readonly host: Host;
  isSendKey(event: KeyboardEvent): boolean;
  /** Moves the focus to the composer, because the focused message is gone. */
  focusComposer(): void;
}

/** The messages that wait for a response to end: each can be edited, moved, removed, or sent at once. */
export class QueueList {
  readonly element = create("section", { class: "queue", "aria-label": t("Queued messages") });
  readonly #context: QueueListContext;
  #queue: QueueView | undefined;
  #isStreaming = false;
  #editing: Editing | undefined;
  #draggedId: string | undefined;

  constructor(context: QueueListContext) {
    this.#context = context;
    this.element.hidden = true;
  }

  show(queue: QueueView | undefined, isStreaming: boolean): void {
    this.#isStreaming = isStreaming;
    this.#queue = queue;
    const focused = this.#focusedControl();
    const { messages = [], hold } = queue ?? {};
    if (!messages.some(({ id }) => id === this.#editing?.id)) this.#editing = undefined;
    this.element.hidden = messages.length === 0;
    this.element.replaceChildren(
      ...(messages.length === 0 ? [] : [this.#createHead(messages, hold), this.#createList(messages)]),
    );
    if (focused !== undefined) this.#restoreFocus(focused);
  }

  #createHead(messages: readonly QueuedView[], hold: string | undefined): HTMLElement {
    const [first] = messages;
    if (hold === undefined || first === undefined) {
      const text = this.#isStreaming ? t("Sent when the response completes") : t("Sending…");
      return create("p", { class: "queue-head" }, icon("history"), text);
    }
    return create(
      "div",
      { class: "notice queue-head", role: "status" },
      create("p", {}, icon("debug-pause"), create("span", {}, hold)),
      create(
        "div",
        { class: "buttons" },
        textButton(
          t("Send Next"),
          () => this.#context.host.post({ type: "queueSend", messageId: first.id }),
          "primary",
        ),
      ),
    );
  }

  #createList(messages: readonly QueuedView[]): HTMLElement {
    const rows = messages.map((message, index) => this.#createRow(message, index, messages.length));
    return create("ol", {}, ...rows);
  }

  #createRow(message: QueuedView, index: number, count: number): HTMLElement {
    const { id, text, attachments } = message;
    const isEdited = this.#editing?.id === id;
    const row = create("li", {
      "data-id": id,
      tabindex: "0",
      draggable: String(!isEdited),
      "aria-keyshortcuts": "Alt+ArrowUp Alt+ArrowDown Delete",
    });
    row.append(
      isEdited ? this.#createEditor(message) : create("div", { class: "queue-text", dir: "auto" }, text),
      ...attachments.map((name) =>
        create("span", { class: "queue-part", dir: "auto", title: name }, icon("attach"), name),
      ),
    );
    if (!isEdited) row.append(this.#createButtons(message, index, count));
    row.addEventListener("keydown", (event) => this.#onRowKey(event, id, index));
    this.#followDragging(row, id, index);
    return row;
  }

  #createButtons(message: QueuedView, index: number, count: number): HTMLElement {
    const messageId = message.id;
    const move = (to: number) => () => this.#context.host.post({ type: "queueMove", messageId, index: to });
    const sendLabel = this.#isStreaming ? t("Stop and Send") : t("Send Now");
    return create(
      "div",
      { class: "queue-buttons", role: "toolbar", "aria-label": t("Queued message") },
      ...(index > 0 ? [iconButton("arrow-up", t("Move Up"), move(index - 1))] : []),
      ...(index < count - 1 ? [iconButton("arrow-down", t("Move Down"), move(index + 1))] : []),
      iconButton("edit", t("Edit"), () => this.#edit(message)),
      iconButton("send", sendLabel, () => this.#context.host.post({ type: "queueSend", messageId })),
      iconButton("trash", t("Remove"), () => this.#context.host.post({ type: "queueRemove", messageId })),
    );
  }

  #createEditor({ id, text }: QueuedView): HTMLElement {
    const area = this.#editing?.area ?? create("textarea");
    const save = (): void => {
      this.#leaveEditor(id);
      if (area.value !== text)
        this.#context.host.post({ type: "queueEdit", messageId: id, text: area.value });
    };
    area.onkeydown = (event) => {
      if (event.key === "Escape" && !event.isComposing) this.#leaveEditor(id);
      else if (this.#context.isSendKey(event)) save();
      else return event.stopPropagation();
      event.preventDefault();
      event.stopPropagation();
    };
    const buttons = create(
      "div",
      { class: "buttons" },
      textButton(t("Save"), save, "primary"),
      textButton(t("Cancel"), () => this.#leaveEditor(id)),
    );
    return create("div", { class: "message-editor" }, area, buttons);
  }

  #edit({ id, text }: QueuedView): void {
    const area = create("textarea", {
      "aria-label": t("Edit Queued Message"),
      class: "message-edit",
      rows: "1",
      dir: "auto",
    });
    area.value = text;
    this.#editing = { id, area };
    this.show(this.#queue, this.#isStreaming);
    area.focus();
    area.setSelectionRange(text.length, text.length);
  }

  #leaveEditor(id: string): void {
    this.#editing = undefined;
    this.show(this.#queue, this.#isStreaming);
    this.#row(id)?.focus();
  }

  #onRowKey(event: KeyboardEvent, messageId: string, index: number): void {
    if (event.target !== event.currentTarget && !event.altKey) return;
    const { key, altKey } = event;
    if (altKey && key === "ArrowUp")
      this.#context.host.post({ type: "queueMove", messageId, index: Math.max(0, index - 1) });
    else if (altKey && key === "ArrowDown")
      this.#context.host.post({ type: "queueMove", messageId, index: index + 1 });
    else if (key === "ArrowUp" || key === "ArrowDown") this.#walk(event, key === "ArrowUp" ? -1 : 1);
    else if (key === "Delete") this.#context.host.post({ type: "queueRemove", messageId });
    else if (key === "Enter") this.#row(messageId)?.querySelector<HTMLElement>(".codicon-edit")?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  #walk({ currentTarget }: KeyboardEvent, step: 1 | -1): void {
    if (!(currentTarget instanceof HTMLElement)) return;
    const next = step === 1 ? currentTarget.nextElementSibling : currentTarget.previousElementSibling;
    if (next instanceof HTMLElement) next.focus();
  }

  #followDragging(row: HTMLElement, id: string, index: number): void {
    row.addEventListener("dragstart", () => (this.#draggedId = id));
    row.addEventListener("dragend", () => (this.#draggedId = undefined));
    row.addEventListener("dragover", (event) => {
      if (this.#draggedId === undefined) return;
      event.preventDefault();
      event.stopPropagation();
    });
    row.addEventListener("drop", (event) => {
      const messageId = this.#draggedId;
      if (messageId === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      if (messageId !== id) this.#context.host.post({ type: "queueMove", messageId, index });
    });
  }

  #row(id: string): HTMLElement | undefined {
    return this.#rows().find((row) => row.dataset["id"] === id);
  }

  #rows(): readonly HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("li")];
  }

  /** The focused control in a form that survives a new rendering. */
  #focusedControl():
    { readonly id: string | undefined; readonly index: number; readonly label: string } | undefined {
    const { activeElement } = document;
    if (activeElement === null || !this.element.contains(activeElement)) return undefined;
    const index = this.#rows().findIndex((row) => row.contains(activeElement));
    return {
      id: this.#rows()[index]?.dataset["id"],
      index,
      label: activeElement.getAttribute("aria-label") ?? "",
    };
  }

  /** The focus follows its message; if that is gone, it goes to the one in its place. */
  #restoreFocus({ id, index, label }: { id: string | undefined; index: number; label: string }): void {
    const rows = this.#rows();
    const row = rows.find((each) => each.dataset["id"] === id) ?? rows[Math.min(index, rows.length - 1)];
    if (row === undefined) return this.#context.focusComposer();
    const controls = [...row.querySelectorAll<HTMLElement>("button, textarea")];
    (controls.find((control) => control.getAttribute("aria-label") === label) ?? row).focus();
  }
}
