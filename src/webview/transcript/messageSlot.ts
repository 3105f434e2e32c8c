import type { Role } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { MessageOutline } from "../../core/panel/protocol.ts";
import type { MessageChange } from "../../core/conversation/messageFields.ts";
import type { ResponseCheck } from "../../core/responses/structured/responseCheck.ts";
import type { MessagePosition, MessageView } from "./messageView.ts";

/** CSS pixels that a message takes at least, with its head and foot. */
const leastHeight = 70;
/** UTF-16 units of a line, and CSS pixels of its height, as they are most often. */
const [usualLine, usualLineHeight] = [85, 22];

/** One message of the path: what it says, and its elements while they are needed. */
export class MessageSlot {
  readonly id: string;
  readonly role: Role;
  /** CSS pixels from its top to the top of the next one: measured, or estimated while it has never been shown. */
  height: number;
  /** Whether its elements show all that it says. */
  isRendered = false;
  /** Whether the user has changed something in its elements, such as what is folded: they are kept then. */
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

  get isStreaming(): boolean {
    return this.#message?.status === "streaming";
  }

  /** The elements of the message, which must have come. */
  show(create: (message: Message) => MessageView): MessageView | undefined {
    if (this.#view !== undefined || this.#message === undefined) return this.#view;
    const view = create(this.#message);
    view.setPosition(this.#position);
    if (this.#check !== undefined) void view.structured?.show(this.#check);
    this.#view = view;
    this.isRendered = false;
    return view;
  }

  /** Lets the elements go; they are built again when they are needed. */
  drop(): void {
    this.#view?.dispose?.();
    this.#view?.element.remove();
    this.#view = undefined;
    this.isRendered = false;
    this.isTouched = false;
  }

  /** Takes the whole message, for the first time or as it is now. */
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

  /** Shows all that the message says, now or, where that is much, in the next frames. */
  render(): void {
    this.#view?.render();
    this.isRendered = true;
    this.#view?.element.style.removeProperty("min-height");
  }
}
