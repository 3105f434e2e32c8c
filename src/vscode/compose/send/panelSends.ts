import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import { emptyDraft } from "../../../core/conversation/conversationStore.ts";
import type { Draft } from "../../../core/conversation/conversationStore.ts";
import type { FromWebview } from "../../../core/panel/protocol.ts";
import type { SendGate, SendGateConversation } from "../../../core/compose/send/sendGate.ts";
import type { Outgoing } from "../../../core/compose/send/outgoing.ts";
import type {
  SendChoice,
  SendMessage,
  SendQuestion,
  TooLong,
} from "../../../core/compose/send/sendQuestion.ts";

export interface PanelSendsContext {
  readonly session: ChatSession;
  readonly gate: SendGate;
  post(message: SendMessage | { readonly type: "sent" }): void;
  /** Asks outside of the page whether what was held back is to be sent as it is. */
  confirm(question: SendQuestion): Promise<boolean>;
  findTooLong(outgoing: Outgoing | undefined): TooLong | undefined;
  saveDraft(draft: Draft): void;
  /** Keeps what stands in the composer, and writes something else to disk for it. */
  holdDraft(draft: Draft, stored: Draft): void;
  reportError(error: unknown): void;
}

/** What the page sends, or decides about what is held back. */
type SendRequest = Extract<FromWebview, { readonly type: "send" | "edit" | "answerSend" }>;

/** A message that waits for the user's decision. */
interface Confirmation {
  readonly questionId: number;
  readonly question: SendQuestion;
  /** About the result of a tool. It stays when the page is rebuilt. */
  readonly isAboutTool: boolean;
  decide(choice: SendChoice): void;
}

/** What the user of one panel sends, each through the gate; what is held back stays in the draft. */
export class PanelSends {
  readonly #context: PanelSendsContext;
  #held: Confirmation | undefined;
  #questions = 0;
  /** Tools may give their results at the same time; they are asked about one by one. */
  #lastResult: Promise<unknown> = Promise.resolve();

  constructor(context: PanelSendsContext) {
    this.#context = context;
  }

  handle(request: SendRequest): void {
    switch (request.type) {
      case "send":
        return this.#send(request);
      case "edit":
        return this.#edit(request.messageId, request);
      case "answerSend":
        if (this.#held?.questionId === request.questionId) this.#decide(this.#held, request.choice);
    }
  }

  /** Has several models answer what stands in the composer, or the user's last message if nothing stands there. */
  compare(draft: Draft, models: readonly string[]): void {
    const { session, post, saveDraft } = this.#context;
    if (draft.text.trim() === "" && draft.attachments.length === 0)
      return this.again(() => session.compare(models));
    this.#pass(draft, false, (passed) => {
      if (session.state.isStreaming) return false;
      session.compare(models, passed);
      saveDraft(emptyDraft);
      post({ type: "sent" });
      return true;
    });
  }

  /** Asks for a response without a new message. */
  again(ask: () => void): void {
    const { gate, reportError } = this.#context;
    gate
      .mayAsk(this.#conversation(() => undefined))
      .then((mayAsk) => {
        this.#settle(mayAsk);
        if (mayAsk) ask();
      })
      .catch(reportError);
  }

  /** Asks about what a tool has given. The user's stop withholds it. */
  askAboutResult(question: SendQuestion): Promise<SendChoice> {
    const choice = this.#lastResult.then(() => this.#askAboutResult(question));
    this.#lastResult = choice;
    return choice;
  }

  /** The question is no longer visible. */
  cancel(): void {
    this.#held?.decide("cancel");
  }

  /** The page is gone, and with it what it showed; a message that it held is in the draft. */
  leavePage(): void {
    if (this.#held?.isAboutTool === false) this.cancel();
  }

  /** The page is new: what a tool has given is still to be decided. */
  showAgain(): void {
    if (this.#held?.isAboutTool === true) this.#postHeld(this.#held, false);
  }

  /** What is left unmasked is confirmed where the page can't press the button; else the question stays. */
  #decide(held: Confirmation, choice: SendChoice): void {
    const { confirm, reportError } = this.#context;
    if (choice !== "send") return held.decide(choice);
    confirm(held.question)
      .then((isConfirmed) => {
        if (isConfirmed && this.#held === held) held.decide(choice);
      })
      .catch(reportError);
  }

  #send(outgoing: Outgoing): void {
    const { session } = this.#context;
    this.#pass(outgoing, true, ({ text, attachments }) => session.send(text, attachments) === "sent");
  }

  #edit(messageId: string, outgoing: Outgoing): void {
    const { session } = this.#context;
    this.#pass(
      outgoing,
      false,
      ({ text, attachments }) => session.edit(messageId, text, attachments) === "sent",
    );
  }

  async #askAboutResult(question: SendQuestion): Promise<SendChoice> {
    const { session } = this.#context;
    if (!session.state.isStreaming) return "cancel";
    const stopListening = session.subscribe((event) => {
      if (event.type === "streaming" && !event.isStreaming) this.cancel();
    });
    const choice = await this.#ask(question, false, true);
    stopListening();
    this.#settle(false);
    return choice;
  }

  #pass(outgoing: Outgoing, isFromComposer: boolean, send: (passed: Outgoing) => boolean): void {
    const { gate, post, saveDraft, holdDraft, reportError } = this.#context;
    this.cancel();
    const conversation = this.#conversation((stored = outgoing) => {
      if (isFromComposer) holdDraft(outgoing, stored);
    }, isFromComposer);
    gate
      .pass(outgoing, conversation)
      .then((passed) => {
        const isSent = passed !== undefined && send(passed);
        this.#settle(isSent);
        if (!isFromComposer) return;
        if (isSent) saveDraft(emptyDraft);
        else if (passed !== undefined) post({ type: "sendReturned" });
      })
      .catch((error: unknown) => {
        post({ type: "sendReturned" });
        reportError(error);
      });
  }

  #conversation(
    onHeld: (stored: Outgoing | undefined) => void,
    isFromComposer = false,
  ): SendGateConversation {
    const { session } = this.#context;
    return {
      systemPrompt: session.state.settings.systemPrompt,
      changeSystemPrompt: (systemPrompt) =>
        session.changeSettings({ ...session.state.settings, systemPrompt }),
      whenTooLong: session.state.settings.whenTooLong,
      changeWhenTooLong: (whenTooLong) => session.changeSettings({ ...session.state.settings, whenTooLong }),
      findTooLong: (outgoing) => this.#context.findTooLong(outgoing),
      ask: (question, stored) => {
        onHeld(stored);
        return this.#ask(question, isFromComposer);
      },
    };
  }

  #ask(question: SendQuestion, isFromComposer: boolean, isAboutTool = false): Promise<SendChoice> {
    this.#settle(false);
    const questionId = ++this.#questions;
    return new Promise((resolve) => {
      this.#held = { questionId, question, isAboutTool, decide: resolve };
      this.#postHeld(this.#held, isFromComposer);
    });
  }

  #postHeld({ questionId, question }: Confirmation, isFromComposer: boolean): void {
    this.#context.post({ type: "sendHeld", questionId, question, isFromComposer });
  }

  #settle(isSent: boolean): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#context.post({ type: "sendSettled", questionId: held.questionId, isSent });
  }
}
