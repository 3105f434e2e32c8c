import { t } from "@vscode/l10n";
import { describePart, partName } from "../../../core/compose/attachments/describePart.ts";
import type { ContentPart } from "../../../core/conversation/completion.ts";
import { pastedTextOf } from "../../../core/compose/context/pastedText.ts";
import { createContextChip } from "../context/contextChip.ts";
import { create, iconButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { Attachment } from "./attachment.ts";
import { readFacts } from "./attachment.ts";
import { AudioPlayer } from "./audioPlayer.ts";
import { showPreview } from "./previewDialog.ts";
import { createThumbnail } from "./thumbnail.ts";

/** Longest edge of a thumbnail in CSS pixels. */
const thumbnailEdge = 44;

interface TrayItem {
  readonly attachment: Attachment;
  readonly element: HTMLElement;
}

/**
 * The attachments that will be sent with the message. A click shows, enlarges or plays them; a button or Delete removes
 * them.
 */
export class AttachmentTray {
  readonly element = create("ul", { class: "tray", role: "list", "aria-label": t("Attachments") });
  readonly #host: Host;
  readonly #onChange: () => void;
  /** Moves the focus when nothing is left to focus. */
  readonly #onEmptied: () => void;
  readonly #onInsert: (text: string) => void;
  #items: readonly TrayItem[] = [];
  #parts: readonly ContentPart[] = [];

  /** @param onInsert Inserts a pasted text into the message instead. */
  constructor(host: Host, onChange: () => void, onEmptied: () => void, onInsert: (text: string) => void) {
    this.#host = host;
    this.#onChange = onChange;
    this.#onEmptied = onEmptied;
    this.#onInsert = onInsert;
    this.#update();
  }

  /** Returns the same list until something changes. */
  get parts(): readonly ContentPart[] {
    return this.#parts;
  }

  add(attachment: Attachment): void {
    const item = this.#createItem(attachment);
    this.#items = [...this.#items, item];
    this.element.append(item.element);
    this.#update();
    // A full tray scrolls, so that nothing is attached without being seen.
    this.element.scrollTop = this.element.scrollHeight;
    this.#onChange();
  }

  /** Removes an attachment as if the user had done it. */
  remove(part: ContentPart): void {
    const item = this.#items.find(({ attachment }) => attachment.part === part);
    if (item !== undefined) this.#remove(item);
  }

  /** Replaces the current attachments with those that the host has stored. The host isn't notified. */
  restore(parts: readonly ContentPart[]): void {
    this.#items = parts.map((part) => this.#createItem({ part, facts: readFacts(part) }));
    this.element.replaceChildren(...this.#items.map(({ element }) => element));
    this.#update();
  }

  #createItem(attachment: Attachment): TrayItem {
    const name = partName(attachment.part);
    const remove = iconButton("close", t("Remove {0}", name), () => this.#remove(item));
    const element = create(
      "li",
      { class: `tray-item ${attachment.part.type}` },
      createContent(attachment, this.#host),
      ...this.#createInsert(attachment, () => this.#remove(item)),
      remove,
    );
    const item = { attachment, element };
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Delete" && event.key !== "Backspace") return;
      event.preventDefault();
      this.#remove(item);
    });
    return item;
  }

  /** Inserts a long pasted text into the message after all, if a text field can show it. */
  #createInsert({ part }: Attachment, remove: () => void): readonly HTMLElement[] {
    if (pastedTextOf(part) === undefined) return [];
    return [
      iconButton("insert", t("Insert as Text"), () => {
        remove();
        this.#onInsert(pastedTextOf(part) ?? "");
      }),
    ];
  }

  /** Focuses the neighbor, so that several can be removed in a row. */
  #remove(item: TrayItem): void {
    const index = this.#items.indexOf(item);
    if (index < 0) return;
    this.#items = this.#items.filter((other) => other !== item);
    const neighbor = this.#items[index] ?? this.#items.at(-1);
    const hadFocus = item.element.contains(document.activeElement);
    item.element.remove();
    this.#update();
    if (hadFocus) {
      if (neighbor === undefined) this.#onEmptied();
      else neighbor.element.querySelector("button")?.focus();
    }
    this.#onChange();
  }

  #update(): void {
    this.#parts = this.#items.map(({ attachment }) => attachment.part);
    this.element.hidden = this.#items.length === 0;
  }
}

function createContent(attachment: Attachment, host: Host): HTMLElement {
  const { part, facts } = attachment;
  if (part.type === "text") return createContextChip(part, host);
  if (part.type === "audio") return new AudioPlayer({ part, facts }).element;
  const [name, words] = [partName(part), describePart(part, facts)];
  const label = t("Enlarge {0}, {1}", name, words);
  const button = create(
    "button",
    { type: "button", class: "tray-open", title: label, "aria-label": label },
    createThumbnail(part, facts, thumbnailEdge),
    create(
      "span",
      { class: "tray-words" },
      create("span", { class: "attachment-name", dir: "auto" }, name),
      " ",
      create("span", { class: "attachment-facts" }, words),
    ),
  );
  button.addEventListener("click", () => showPreview(attachment));
  return button;
}
