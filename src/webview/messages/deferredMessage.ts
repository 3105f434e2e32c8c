import type { Role } from "../../core/completion.ts";
import type { Message } from "../../core/conversation.ts";
import type { MessageChange } from "../../core/protocol.ts";
import { create } from "../dom.ts";
import type { StructuredAnswer } from "../structured/structuredAnswer.ts";
import type { MessagePlace, MessageView } from "./messageView.ts";

/** An old message that is nothing but its place until it is rendered: a long conversation opens at once. */
export class DeferredMessage implements MessageView {
  readonly #message: Message;
  readonly #createView: (message: Message) => MessageView;
  readonly #place: HTMLElement;
  #view: MessageView | undefined;
  #lastPlace: MessagePlace = { isLast: false, versions: [] };

  constructor(message: Message, createView: (message: Message) => MessageView) {
    this.#message = message;
    this.#createView = createView;
    this.#place = create("article", { class: `message ${message.role}`, "data-message-id": message.id });
  }

  get element(): HTMLElement {
    return this.#view?.element ?? this.#place;
  }

  get role(): Role {
    return this.#message.role;
  }

  get structured(): StructuredAnswer | undefined {
    return this.#view?.structured;
  }

  get textLength(): number {
    return this.#view?.textLength ?? this.#message.text.length;
  }

  get reasoningLength(): number {
    return this.#view?.reasoningLength ?? this.#message.reasoning.length;
  }

  update(message: Message): boolean {
    return this.#reveal().update(message);
  }

  append(text: string, reasoning: string): void {
    this.#reveal().append(text, reasoning);
  }

  change(change: MessageChange): void {
    this.#reveal().change(change);
  }

  render(): void {
    this.#reveal().render();
  }

  place(place: MessagePlace): void {
    this.#lastPlace = place;
    this.#view?.place(place);
  }

  edit(): void {
    this.#reveal().edit?.();
  }

  #reveal(): MessageView {
    if (this.#view !== undefined) return this.#view;
    const view = this.#createView(this.#message);
    view.place(this.#lastPlace);
    this.#place.replaceWith(view.element);
    this.#view = view;
    return view;
  }
}
