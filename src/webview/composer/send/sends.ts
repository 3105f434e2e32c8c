import { t } from "@vscode/l10n";
import type { SendMessage } from "../../../core/compose/send/sendQuestion.ts";
import type { ContentPart } from "../../../core/conversation/completion.ts";
import { create, icon, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";

type Confirmation = Extract<SendMessage, { readonly type: "sendHeld" }>;

/** Says above the composer why a message was held back, and what can be done with it. */
class ConfirmationCard {
  readonly element = create("div", { class: "held" });
  readonly #host: Host;
  #held: Confirmation | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  get isShown(): boolean {
    return this.#held !== undefined;
  }

  show(held: Confirmation): void {
    this.#held = held;
    const { message, facts, choices } = held.question;
    const buttons = choices.map(({ id, label }, index) =>
      textButton(label, () => this.#answer(id), index === 0 ? "primary" : "secondary"),
    );
    this.element.replaceChildren(
      create(
        "div",
        {
          class: "notice",
          role: "alertdialog",
          "aria-label": t("On hold"),
          "aria-describedby": "held-message",
        },
        create(
          "p",
          {},
          icon(held.question.kind === "secrets" ? "shield" : "warning"),
          create("span", { id: "held-message", dir: "auto" }, message),
        ),
        ...createFacts(facts),
        create("div", { class: "buttons" }, ...buttons),
      ),
    );
    buttons[0]?.focus();
  }

  /** The question is answered, here or in another way. Returns what was held, where that was shown. */
  settle(questionId: number): Confirmation | undefined {
    const held = this.#held;
    if (held?.questionId !== questionId) return undefined;
    this.#clear();
    return held;
  }

  /** The user keeps typing: the content of the composer is no longer what was held for confirmation. */
  onWriting(): void {
    if (this.#held?.isFromComposer === true) this.cancel();
  }

  /** The user turns to something else. */
  cancel(): void {
    if (this.#held !== undefined) this.#answer("cancel");
  }

  #answer(choice: Confirmation["question"]["choices"][number]["id"]): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#host.post({ type: "answerSend", questionId: held.questionId, choice });
    if (choice === "cancel") this.#clear();
  }

  #clear(): void {
    this.#held = undefined;
    this.element.replaceChildren();
  }
}

function createFacts(facts: Confirmation["question"]["facts"]): readonly HTMLElement[] {
  if (facts.length === 0) return [];
  const rows = facts.flatMap(({ label, value }) => [
    create("dt", { dir: "auto" }, label),
    create("dd", { dir: "auto" }, value),
  ]);
  return [create("dl", { class: "facts" }, ...rows)];
}

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
  readonly #card: ConfirmationCard;
  #last: { readonly text: string; readonly attachments: readonly ContentPart[] } = nothing;

  constructor(host: Host) {
    this.#card = new ConfirmationCard(host);
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

  /** Turns the question away that is open; false if none is. */
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
