import type { Role } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageOutline } from "../../core/panel/protocol.ts";
import type { MessageChange } from "../../core/conversation/messageDetails.ts";
import type { ResponseCheck } from "../../core/responses/structured/responseCheck.ts";
import type { MessagePosition, MessageView } from "./messageView.ts";

/** Minimum height of a message in CSS pixels, including its header and footer. */
const leastHeight = 70;
/** The usual length of a line in UTF-16 code units, and its usual height in CSS pixels. */
const [usualLine, usualLineHeight] = [85, 22];

/** One message of the path: its content, and its elements while they are needed. */
export class MessageSlot {
  readonly id: string;
  readonly role: Role;
  /** CSS pixels from its top to the top of the next one: measured, or estimated until it has been shown. */
  height: number;
  /** Whether its elements show its content, or the beginning of it. */
  isRendered = false;
  /** Whether the user has changed something in its elements, such as collapsing a part, so that they are kept. */
  isTouched = false;
  readonly #length: number;
  #message: Message | undefined;
  #view: MessageView | undefined;
  #check: ResponseCheck | undefined;
  #position: MessagePosition = { isLast: false, versions: [] };

  constructor({ id, role, length }: MessageOutline, message?: Message) {
    this.id = id;
    this.role = role;
    this.#length = length;
    this.#message = message;
    this.height = role === "tool" ? 0 : leastHeight + Math.ceil(length / usualLine) * usualLineHeight;
  }

  static of(message: Message): MessageSlot {
    return new MessageSlot({ id: message.id, role: message.role, length: message.text.length }, message);
  }

  /** Undefined until the host has sent it. */
  get message(): Message | undefined {
    return this.#message;
  }

  get view(): MessageView | undefined {
    return this.#view;
  }

  get element(): HTMLElement | undefined {
    return this.#view?.element;
  }

  /** UTF-16 units. */
  get textLength(): number {
    return this.#view?.textLength ?? this.#message?.text.length ?? this.#length;
  }

  get reasoningLength(): number {
    return this.#view?.reasoningLength ?? this.#message?.reasoning.length ?? 0;
  }

  /** Whether its elements show all of its text. Until then, there is more of it in each frame. */
  get isShown(): boolean {
    return this.#view?.isShown === true && this.isRendered;
  }

  get isStreaming(): boolean {
    return this.#message?.status === "streaming";
  }

  /** The message's elements. The message must have arrived. */
  show(create: (message: Message) => MessageView): MessageView | undefined {
    if (this.#view !== undefined || this.#message === undefined) return this.#view;
    const view = create(this.#message);
    view.setPosition(this.#position);
    if (this.#check !== undefined) void view.structured?.show(this.#check);
    this.#view = view;
    this.isRendered = false;
    return view;
  }

  /** Discards the elements, which are built again when they are needed. */
  drop(): void {
    this.#view?.dispose?.();
    this.#view?.element.remove();
    this.#view = undefined;
    this.isRendered = false;
    this.isTouched = false;
  }

  /** Sets the complete message, either for the first time or in its current form. */
  update(message: Message): void {
    this.#message = message;
    if (this.#view?.update(message) === false) this.drop();
  }

  append(text: string, reasoning: string): void {
    const message = this.#message;
    if (message === undefined) return;
    this.#message = { ...message, text: message.text + text, reasoning: message.reasoning + reasoning };
    this.#view?.append(text, reasoning);
  }

  change(change: MessageChange): void {
    if (this.#message !== undefined) this.#message = { ...this.#message, ...change };
    this.#view?.change(change);
  }

  showCheck(check: ResponseCheck): void {
    this.#check = check;
    void this.#view?.structured?.show(check);
  }

  setPosition(setPosition: MessagePosition): void {
    this.#position = setPosition;
    this.#view?.setPosition(setPosition);
  }

  /**
   * Shows the message's content: now, or over the next frames if there is a lot.
   * @param isAll Whether all of it is shown now.
   */
  render(isAll = false): void {
    if (isAll) this.#view?.renderAll();
    else this.#view?.render();
    this.isRendered = true;
    this.#view?.element.style.removeProperty("min-height");
  }
}
