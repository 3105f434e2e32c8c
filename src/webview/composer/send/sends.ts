import { t } from "@vscode/l10n";
import { holdReasons } from "../../../core/compose/send/sendQuestion.ts";
import type { QueueView } from "../../../core/compose/send/queueSender.ts";
import type { HeldMessage, SendChoice, SendState } from "../../../core/compose/send/sendQuestion.ts";
import { emptyDraft } from "../../../core/conversation/conversationStore.ts";
import type { Draft } from "../../../core/conversation/conversationStore.ts";
import { create, factList, icon, textButton } from "../../kit/dom.ts";
import type { Host } from "../../kit/host.ts";
import type { QueueList } from "./queueList.ts";

/** Shows above the composer why a message is held, and what can be done with it. */
class ConfirmationCard {
  readonly element = create("div", { class: "held" });
  readonly #host: Host;
  #held: HeldMessage | undefined;

  constructor(host: Host) {
    this.#host = host;
  }

  get held(): HeldMessage | undefined {
    return this.#held;
  }

  /** Shows this message in place of the current one; undefined hides it. */
  show(held: HeldMessage | undefined): void {
    if (held?.questionId === this.#held?.questionId) return;
    this.#held = held;
    this.element.replaceChildren();
    if (held === undefined) return;
    const { kind, message, facts, choices } = held.question;
    const buttons = choices.map(({ id, label }, index) =>
      textButton(label, () => this.#answer(id), index === 0 ? "primary" : "secondary"),
    );
    this.element.append(
      create(
        "div",
        {
          class: `notice ${kind}`,
          role: "alertdialog",
          "aria-label": t("Message on hold"),
          "aria-describedby": "held-message",
        },
        create(
          "p",
          {},
          icon(holdReasons[kind].icon),
          create("span", { id: "held-message", dir: "auto" }, message),
        ),
        ...(facts.length === 0 ? [] : [factList(facts)]),
        create("div", { class: "buttons" }, ...buttons),
      ),
    );
    buttons[0]?.focus();
  }

  /** Cancels because the user has turned to something else. */
  cancel(): void {
    if (this.#held !== undefined) this.#answer("cancel");
  }

  #answer(choice: SendChoice): void {
    const held = this.#held;
    if (held === undefined) return;
    this.#host.post({ type: "answerSend", questionId: held.questionId, choice });
    if (choice === "cancel") this.show(undefined);
  }
}

/** The part of the composer that restores what wasn't sent. */
interface SendSource {
  readonly isEmpty: boolean;
  restore(draft: Draft): void;
  begin(draft: Draft): void;
  focus(): void;
  isSendKey(event: KeyboardEvent): boolean;
}

/** Shows the queue and the message that the host holds, and restores what couldn't be sent to the composer. */
export class Sends {
  /** Use this host for sending: it remembers what was sent last, in case the host can't accept it. */
  readonly host: Host;
  /** Where the queue is shown. */
  readonly queueElement = create("div");
  readonly #card: ConfirmationCard;
  #last: Draft = emptyDraft;
  /** Whether the composer has changed since its content was sent or held, so that clearing it would lose text. */
  #hasWritten = false;
  #queue: QueueView | undefined;
  #isStreaming = false;
  /** Loaded with the first queued message. */
  #list: Promise<QueueList> | undefined;

  constructor(host: Host) {
    this.#card = new ConfirmationCard(host);
    this.host = {
      ...host,
      post: (message) => {
        if (message.type === "send" || message.type === "edit") this.#last = message;
        if (message.type === "send" || message.type === "compare") this.#hasWritten = false;
        host.post(message);
      },
    };
  }

  get element(): HTMLElement {
    return this.#card.element;
  }

  /** Called when the user keeps typing, so that the composer no longer contains the held message. */
  onWriting(): void {
    this.#hasWritten = true;
    if (this.#card.held?.isFromComposer === true) this.#card.cancel();
  }

  /** Dismisses the open question; false if there is none. */
  close(): boolean {
    const isOpen = this.#card.held !== undefined;
    this.#card.cancel();
    return isOpen;
  }

  /** The initial state of a new page. If the held message is from the composer, it is in the draft. */
  show({ held, queue }: Pick<SendState, "held" | "queue">, composer: SendSource): void {
    this.#card.show(held);
    this.#showQueue(queue, composer);
  }

  setStreaming(isStreaming: boolean, composer: SendSource): void {
    if (isStreaming === this.#isStreaming) return;
    this.#isStreaming = isStreaming;
    this.#showQueue(this.#queue, composer);
  }

  receive({ held, queue, composer: effect, restored }: SendState, composer: SendSource): void {
    this.#showQueue(queue, composer);
    if (held !== undefined) this.#hasWritten = false;
    if (effect === "clear" && !this.#hasWritten) composer.restore(emptyDraft);
    if (effect === "restore") composer.begin(restored ?? this.#last);
    else if (held?.isFromComposer === true && composer.isEmpty) composer.restore(this.#last);
    const wasShown = this.#card.held !== undefined;
    this.#card.show(held);
    if (wasShown && held === undefined) composer.focus();
  }

  #showQueue(queue: QueueView | undefined, composer: SendSource): void {
    this.#queue = queue;
    if (queue === undefined && this.#list === undefined) return;
    this.#list ??= this.#loadList(composer);
    void this.#list.then((list) => list.show(this.#queue, this.#isStreaming));
  }

  async #loadList(composer: SendSource): Promise<QueueList> {
    const { QueueList } = await import("./queueList.ts");
    const list = new QueueList({
      host: this.host,
      isSendKey: (event) => composer.isSendKey(event),
      focusComposer: () => composer.focus(),
    });
    this.queueElement.append(list.element);
    return list;
  }
}
