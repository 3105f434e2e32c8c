import type { ContentPart } from "../../../core/conversation/completion.ts";
import type { SendMessage } from "../../../core/compose/send/sendQuestion.ts";
import type { Host } from "../../kit/host.ts";
import { HeldCard } from "./heldCard.ts";

/** The composer, as far as it gets back what was not sent. */
export interface SendSource {
  readonly isEmpty: boolean;
  restore(draft: { readonly text: string; readonly attachments: readonly ContentPart[] }): void;
  focus(): void;
}

const nothing = { text: "", attachments: [] };

/** Gives the composer back what the host holds, so that the user sees and may change what was to be sent. */
export class Sends {
  /** To send by: remembers what was sent last. */
  readonly host: Host;
  readonly #card: HeldCard;
  #last: { readonly text: string; readonly attachments: readonly ContentPart[] } = nothing;

  constructor(host: Host) {
    this.#card = new HeldCard(host);
    this.host = {
      ...host,
      post: (message) => {
        if (message.type === "send") this.#last = message;
        host.post(message);
      },
    };
  }

  get element(): HTMLElement {
    return this.#card.element;
  }

  onWriting(): void {
    this.#card.onWriting();
  }

  /** Turns the question away that is open; false where none is. */
  close(): boolean {
    const isOpen = this.#card.isShown;
    this.#card.cancel();
    return isOpen;
  }

  receive(message: SendMessage, composer: SendSource): void {
    switch (message.type) {
      case "sendHeld":
        if (message.isFromComposer && composer.isEmpty) composer.restore(this.#last);
        return this.#card.show(message);
      case "sendReturned":
        if (composer.isEmpty) composer.restore(this.#last);
        return;
      case "sendSettled": {
        const held = this.#card.settle(message.questionId);
        if (held?.isFromComposer === true && message.isSent) composer.restore(nothing);
        return composer.focus();
      }
    }
  }
}
