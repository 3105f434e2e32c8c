import { t } from "@vscode/l10n";
import { maxAttachments, tooMany, unreadable } from "../../../core/compose/attachments/limits.ts";
import { requiredModalities } from "../../../core/compose/attachments/modalities.ts";
import type { Modality, ContentPart, TextPart } from "../../../core/conversation/completion.ts";
import { pastedPart } from "../../../core/compose/context/pastedText.ts";
import type { FilesMessage, ModelPicker } from "../../../core/panel/protocol.ts";
import { create, icon, iconButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import { AttachmentTray } from "./attachmentTray.ts";
import { base64ToBytes } from "./base64.ts";
import { bringsFiles, droppedFiles, pastedFiles } from "./givenFiles.ts";
import { loadAttachmentViews } from "./loadAttachmentViews.ts";
import type { AttachedFile, ReadOutcome } from "./readAttachment.ts";
import { UnsupportedInputNotice } from "./unsupportedInputNotice.ts";

/**
 * Messages about what couldn't be attached, or was changed. Announced to screen readers, with a button to remove them.
 */
class Remarks {
  readonly element = create("div", { class: "remarks", role: "status" });

  constructor() {
    this.clear();
  }

  add(kind: "problem" | "remark", sentence: string): void {
    const line = create(
      "p",
      { class: kind, dir: "auto" },
      icon(kind === "problem" ? "error" : "info"),
      create("span", {}, sentence),
      iconButton("close", t("Dismiss"), () => {
        line.remove();
        this.#update();
      }),
    );
    this.element.append(line);
    this.#update();
  }

  clear(): void {
    this.element.replaceChildren();
    this.#update();
  }

  #update(): void {
    this.element.hidden = this.element.childElementCount === 0;
  }
}

interface ComposerAttachmentsObserver {
  /** Called when the attachments change, and when reading files starts or ends. */
  onChange(): void;
  /** Called when nothing here can hold the focus anymore. */
  onLeave(): void;
  /** Called when an attached text should be inserted into the message. */
  onInsert(text: string): void;
}

/** What is sent with a message in addition to its text: added by paste, drop or picker, shown, checked and removed. */
export class ComposerAttachments {
  readonly element: HTMLElement;
  readonly button: HTMLElement;
  readonly #host: Host;
  readonly #observer: ComposerAttachmentsObserver;
  readonly #tray: AttachmentTray;
  readonly #remarks = new Remarks();
  readonly #modalities: UnsupportedInputNotice;
  /** Files are read one after the other, because several large ones at once would take a lot of memory. */
  #reading: Promise<void> = Promise.resolve();
  #waiting = 0;
  /**
   * A file that is still being read when the message is sent, or when the conversation changes, doesn't belong to
   * either.
   */
  #generation = 0;

  constructor(host: Host, observer: ComposerAttachmentsObserver) {
    this.#host = host;
    this.#observer = observer;
    this.#tray = new AttachmentTray(
      host,
      () => this.#changed(),
      () => observer.onLeave(),
      (text) => observer.onInsert(text),
    );
    this.#modalities = new UnsupportedInputNotice(host);
    this.element = create(
      "div",
      { class: "composer-attachments" },
      this.#tray.element,
      this.#remarks.element,
      this.#modalities.element,
      createDropZone((data) => this.#takeDrop(data)),
    );
    const words = t("Attach files. You can also paste them, or drop them while holding Shift.");
    this.button = iconButton("attach", words, () => host.post({ type: "pickFiles" }));
    // Pages get no microphone, so users who look for one here learn about what VS Code has.
    const speech = t("To dictate, use the VS Code Speech extension in an editor or in VS Code's chat.");
    this.button.title = `${words}\n${speech}`;
    document.addEventListener("paste", (event) => this.#takePaste(event));
  }

  get parts(): readonly ContentPart[] {
    return this.#tray.parts;
  }

  /** Whether files are still being read. */
  get isBusy(): boolean {
    return this.#waiting > 0;
  }

  restore(parts: readonly ContentPart[]): void {
    this.#generation++;
    this.#tray.restore(parts);
    this.#remarks.clear();
    this.#modalities.showUnsupportedInput(requiredModalities(parts));
  }

  /** Adds texts that the host has read, except those that are already attached. */
  addTexts(parts: readonly TextPart[], notice: string | undefined): void {
    if (notice !== undefined) this.#remarks.add("problem", notice);
    for (const part of parts) {
      const isThere = this.parts.some((other) => other.type === "text" && other.text === part.text);
      if (!isThere) this.#tray.add(part);
    }
  }

  /** Attaches a text that is too long for the message. Returns a function that undoes this. */
  addLongText(text: string): () => void {
    const part = pastedPart(text);
    this.#tray.add(part);
    return () => this.#tray.remove(part);
  }

  showPicker(picker: ModelPicker): void {
    this.#modalities.showPicker(picker);
  }

  /** The modalities that the existing messages require from a model. */
  showConversation(modalities: readonly Modality[]): void {
    this.#modalities.showConversation(modalities);
  }

  receive({ files, problems }: FilesMessage): void {
    for (const problem of problems) this.#remarks.add("problem", problem);
    this.#take(files.map(({ name, data }) => ({ name, blob: new Blob([base64ToBytes(data)]) })));
  }

  #takePaste(event: ClipboardEvent): void {
    if (event.defaultPrevented) return;
    const files = event.clipboardData === null ? [] : pastedFiles(event.clipboardData);
    if (files.length === 0) return;
    event.preventDefault();
    this.#take(files);
  }

  #takeDrop(data: DataTransfer): void {
    const { files, uris } = droppedFiles(data);
    if (uris.length > 0) this.#host.post({ type: "readFiles", uris });
    this.#take(files);
    this.#observer.onLeave();
  }

  #take(files: readonly AttachedFile[]): void {
    const isMedia = ({ type }: ContentPart): boolean => type !== "text";
    const room = Math.max(0, maxAttachments - this.parts.filter(isMedia).length - this.#waiting);
    const left = files.length - room;
    if (left > 0) this.#remarks.add("problem", tooMany(left));
    for (const file of files.slice(0, room)) {
      this.#waiting++;
      this.#reading = this.#reading.then(() => this.#read(file, this.#generation));
    }
    this.#observer.onChange();
  }

  async #read(file: AttachedFile, generation: number): Promise<void> {
    const outcome = await this.#tryToRead(file);
    this.#waiting--;
    if (generation === this.#generation) {
      if ("problem" in outcome) this.#remarks.add("problem", outcome.problem);
      else if ("text" in outcome)
        this.#host.post({ type: "attachText", title: file.name, text: outcome.text });
      else {
        if (outcome.remark !== undefined) this.#remarks.add("remark", outcome.remark);
        this.#tray.add(outcome.attachment.part, outcome.attachment.facts);
      }
    }
    this.#observer.onChange();
  }

  async #tryToRead(file: AttachedFile): Promise<ReadOutcome> {
    try {
      const { readAttachment } = await loadAttachmentViews();
      return await readAttachment(file);
    } catch (error) {
      reportError(error);
      return { problem: unreadable(file.name) };
    }
  }

  #changed(): void {
    this.#modalities.showUnsupportedInput(requiredModalities(this.parts));
    this.#observer.onChange();
  }
}

/** Accepts drops anywhere on the page, and shows a hint while something is dragged over it. */
function createDropZone(onDrop: (data: DataTransfer) => void): HTMLElement {
  const words = create("p", {}, icon("attach"), create("span", {}, t("Drop files to attach them")));
  const hint = create("div", { class: "drop-hint", "aria-hidden": "true" }, words);
  hint.hidden = true;
  const over = (event: DragEvent): void => {
    if (event.dataTransfer === null || !bringsFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "copy";
    hint.hidden = false;
  };
  document.addEventListener("dragenter", over);
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", (event) => {
    // Without a related element, the drag has left the page, not just moved to another element.
    if (event.relatedTarget === null) hint.hidden = true;
  });
  document.addEventListener("drop", (event) => {
    hint.hidden = true;
    if (event.dataTransfer === null || !bringsFiles(event.dataTransfer)) return;
    event.preventDefault();
    onDrop(event.dataTransfer);
  });
  return hint;
}
