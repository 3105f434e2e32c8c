import { t } from "@vscode/l10n";
import type { PartFacts } from "../../../core/compose/attachments/describePart.ts";
import { partName } from "../../../core/compose/attachments/describePart.ts";
import type { ContentPart } from "../../../core/conversation/completion.ts";
import { pastedTextOf } from "../../../core/compose/context/pastedText.ts";
import { createContextChip } from "../context/contextChip.ts";
import { create, iconButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import { loadedAttachmentViews } from "./loadAttachmentViews.ts";

interface TrayItem {
  readonly part: ContentPart;
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

  /** @param facts Read from the bytes if absent. */
  add(part: ContentPart, facts?: PartFacts): void {
    const item = this.#createItem(part, facts);
    this.#items = [...this.#items, item];
    this.element.append(item.element);
    this.#update();
    // A full tray scrolls, so that nothing is attached without being seen.
    this.element.scrollTop = this.element.scrollHeight;
    this.#onChange();
  }

  /** Removes an attachment as if the user had done it. */
  remove(part: ContentPart): void {
    const item = this.#items.find((other) => other.part === part);
    if (item !== undefined) this.#remove(item);
  }

  /** Replaces the current attachments with those that the host has stored. The host isn't notified. */
  restore(parts: readonly ContentPart[]): void {
    this.#items = parts.map((part) => this.#createItem(part));
    this.element.replaceChildren(...this.#items.map(({ element }) => element));
    this.#update();
  }

  #createItem(part: ContentPart, facts?: PartFacts): TrayItem {
    const name = partName(part);
    const remove = iconButton("close", t("Remove {0}", name), () => this.#remove(item));
    const element = create(
      "li",
      { class: `tray-item ${part.type}` },
      createContent(part, facts, this.#host),
      ...this.#createInsert(part, () => this.#remove(item)),
      remove,
    );
    const item = { part, element };
    element.addEventListener("keydown", (event) => {
      if (event.key !== "Delete" && event.key !== "Backspace") return;
      event.preventDefault();
      this.#remove(item);
    });
    return item;
  }

  /** Inserts a long pasted text into the message after all, if a text field can show it. */
  #createInsert(part: ContentPart, remove: () => void): readonly HTMLElement[] {
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
    this.#parts = this.#items.map(({ part }) => part);
    this.element.hidden = this.#items.length === 0;
  }
}

function createContent(part: ContentPart, facts: PartFacts | undefined, host: Host): HTMLElement {
  if (part.type === "text") return createContextChip(part, host);
  return loadedAttachmentViews().createTrayMedia(part, facts);
}
