import type { ChatSession } from "../../conversation/chatSession.ts";
import type { Modality, Model } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import type { MessageQueue } from "../../conversation/messageQueue.ts";
import { emptyDraft } from "../../conversation/conversationStore.ts";
import type { Draft } from "../../conversation/conversationStore.ts";
import { findModalityWarning, modalitiesOf, requiredModalities } from "../attachments/modalities.ts";
import type { Outgoing } from "./outgoing.ts";
import { QueueSender } from "./queueSender.ts";
import type { QueueView } from "./queueSender.ts";
import type { SendGate, SendGateConversation } from "./sendGate.ts";
import { composerEffect, holdReasons } from "./sendQuestion.ts";
import type {
  ComposerEffect,
  DirectOrigin,
  HeldMessage,
  Origin,
  SendChoice,
  SendQuestion,
  SendState,
  TooLong,
} from "./sendQuestion.ts";
import { filledFields } from "../../kernel/filledFields.ts";

interface OutboxContext {
  readonly session: ChatSession;
  readonly gate: SendGate;
  /** The messages that wait for the response in progress. */
  readonly queue: MessageQueue;
  /** The composer's draft. `hold` keeps it, but writes a different one to disk. */
  readonly draft: { keep(draft: Draft): void; hold(draft: Draft, stored: Draft): void };
  post(state: SendState): void;
  /** Asks outside the page whether a held message should be sent as it is. */
  confirm(question: SendQuestion): Promise<boolean>;
  findTooLong(outgoing: Outgoing | undefined): TooLong | undefined;
  /** The model that will respond next, and all known models. */
  offered(): { readonly selected?: string; readonly models: readonly Model[] };
  /** Lets the user choose a model, those that support these modalities first. Also resolves if the user cancels. */
  selectModel(modalities: readonly Modality[]): Promise<void>;
  reportError(error: unknown): void;
}

/** A message waiting for the user's decision. */
interface Held extends HeldMessage {
  /** The object that asked the question. Only it can release the message. */
  readonly owner: object;
  decide(choice: SendChoice): void;
}

/**
 * Sends the messages of one panel's user. Each message passes the gate, and this is the only place where it waits if
 * the gate has a question. The page gets the complete state with every change and in each snapshot, and the user's
 * decision lets the gate continue. In the meantime, a message from the composer is in the draft. A message that is
 * written while a response is in progress is queued, and passes the gate when it is its turn.
 */
export class Outbox {
  readonly #context: OutboxContext;
  readonly #sender: QueueSender;
  #held: Held | undefined;
  /** The queue that the page shows, as JSON. */
  #shownQueue: string | undefined;
  #questions = 0;
  #isDisposed = false;
  #passing: Promise<void> = Promise.resolve();
  /** Tools may return results at the same time, but the user is asked about them one at a time. */
  #lastResult: Promise<unknown> = Promise.resolve();

  constructor(context: OutboxContext) {
    this.#context = context;
    this.#sender = new QueueSender({
      ...context,
      pass: (message) => this.#passQueued(message),
      withdraw: () => this.cancel(),
      onChange: () => {
        if (this.#shownQueue !== JSON.stringify(this.queue)) this.#show();
      },
    });
  }

  /** The messages that wait for a response to end, for a new page. */
  get queue(): QueueView | undefined {
    return this.#sender.view;
  }

  /** The message that is waiting for a decision, for a new page. */
  get held(): HeldMessage | undefined {
    if (this.#held === undefined) return undefined;
    const { questionId, question, isFromComposer } = this.#held;
    return { questionId, question, isFromComposer };
  }

  /**
   * Sends a message of the user. While a response is in progress, it is queued unless that is to be stopped first. A
   * queue that is being sent comes first; one that is held doesn't keep the user from sending something else.
   */
  send({ text, attachments, stopFirst = false }: Outgoing & { readonly stopFirst?: boolean }): void {
    const { session, queue, draft } = this.#context;
    if (!stopFirst && (session.state.isStreaming || queue.isSending)) {
      if (text.trim() === "" && attachments.length === 0) return;
      if (!queue.add({ text, attachments })) return this.#show("restore", { text, attachments });
      return draft.keep(emptyDraft);
    }
    this.#pass({ text, attachments }, "composer", async (passed) => {
      if (stopFirst) await session.stopAll();
      if (session.send(passed.text, passed.attachments) === "sent") return true;
      // The user has requested another response in the meantime.
      return session.state.isStreaming && queue.add(passed);
    });
  }

  /** Sends another version of one of the user's messages. */
  edit(messageId: string, edited: Outgoing): void {
    const { session } = this.#context;
    // It can't be sent now, and a question about the response in progress must stay open.
    if (session.state.isStreaming) return this.#show("restore", edited);
    this.#pass(
      edited,
      "edit",
      ({ text, attachments }) => session.edit(messageId, text, attachments) === "sent",
      messagesBefore(session.state.messages, messageId),
    );
  }

  /** Sends a message of the queue now. */
  sendQueued(messageId: string): void {
    this.#sender.send(messageId);
  }

  /**
   * The user's decision about a held message. Sending it as it is must be confirmed outside the page if necessary;
   * otherwise the question stays open.
   */
  answer(questionId: number, choice: SendChoice): void {
    const { confirm, reportError } = this.#context;
    const held = this.#held;
    if (held?.questionId !== questionId) return;
    if (choice !== "send") return held.decide(choice);
    confirm(held.question)
      .then((isConfirmed) => {
        if (isConfirmed && this.#held === held) held.decide(choice);
      })
      .catch(reportError);
  }

  /** Resolves when no message is being checked anymore. Until then, its conversation must stay open. */
  get whenPassed(): Promise<void> {
    return this.#passing;
  }

  /** A message that is still being checked is sent unless it raises a question, which nobody could answer anymore. */
  dispose(): void {
    this.#isDisposed = true;
    this.cancel();
    this.#sender.dispose();
  }

  /** Has several models respond to the draft, or to the user's last message if the draft is empty. */
  askForSeveral(draft: Draft, ask: (passed?: Draft) => void): void {
    const { session, draft: stored } = this.#context;
    if (session.state.isStreaming) return;
    if (draft.text.trim() === "" && draft.attachments.length === 0) return this.again(ask);
    this.#pass(draft, "compare", (passed) => {
      if (session.state.isStreaming) return false;
      ask(passed);
      stored.keep(emptyDraft);
      return true;
    });
  }

  /** Requests a response without a new message. */
  again(ask: () => unknown): void {
    const { gate, reportError } = this.#context;
    const conversation = this.#conversation(undefined);
    gate
      .mayAsk(conversation)
      .then((mayAsk) => {
        this.#release(conversation);
        return mayAsk ? ask() : undefined;
      })
      .catch(reportError);
  }

  /**
   * Asks about data that is sent while a response is in progress, such as a tool's result. If the user stops the
   * response, the data isn't sent.
   */
  askWhileStreaming(question: SendQuestion): Promise<SendChoice> {
    const choice = this.#lastResult.then(() => this.#askWhileStreaming(question));
    this.#lastResult = choice;
    return choice;
  }

  /** The page's message was rejected without being read, so its composer gets the message back. */
  returnRefused(): void {
    this.#show("restore");
  }

  /** Cancels the open question, so that nothing is sent. */
  cancel(): void {
    this.#held?.decide("cancel");
  }

  async #askWhileStreaming(question: SendQuestion): Promise<SendChoice> {
    const { session } = this.#context;
    if (!session.state.isStreaming) return "cancel";
    const stopListening = session.subscribe((event) => {
      if (event.type === "streaming" && !event.isStreaming) this.cancel();
    });
    const choice = await this.#hold(question, question, false);
    stopListening();
    this.#release(question);
    return choice;
  }

  async #passQueued(message: Outgoing): Promise<Outgoing | undefined> {
    const { gate, session } = this.#context;
    const conversation = this.#conversation("queue", message, session.state.messages);
    try {
      return await gate.pass(message, conversation);
    } finally {
      this.#release(conversation);
    }
  }

  #pass(
    outgoing: Outgoing,
    origin: DirectOrigin,
    send: (passed: Outgoing) => boolean | Promise<boolean>,
    earlier: readonly Message[] = this.#context.session.state.messages,
  ): void {
    const { gate, draft, reportError } = this.#context;
    this.cancel();
    const conversation = this.#conversation(origin, outgoing, earlier);
    const passing = gate
      .pass(outgoing, conversation)
      .then(async (passed) => {
        const wasHeld = this.#held?.owner === conversation;
        const hasPassed = passed !== undefined;
        const isSent = hasPassed && (await send(passed));
        if (isSent && origin === "composer") draft.keep(emptyDraft);
        this.#release(conversation, composerEffect(origin, { isSent, wasHeld, hasPassed }), outgoing);
      })
      .catch((error: unknown) => {
        if (origin === "composer") draft.keep(outgoing);
        this.#release(conversation, "restore", outgoing);
        reportError(error);
      });
    this.#passing = Promise.all([this.#passing, passing]).then(() => undefined);
  }

  #conversation(origin: Origin, outgoing?: Outgoing, earlier: readonly Message[] = []): SendGateConversation {
    const { session, draft, findTooLong, selectModel, offered } = this.#context;
    const conversation: SendGateConversation = {
      id: session.id,
      systemPrompt: session.state.settings.systemPrompt,
      changeSystemPrompt: (systemPrompt) =>
        session.changeSettings({ ...session.state.settings, systemPrompt }),
      whenTooLong: session.state.settings.whenTooLong,
      changeWhenTooLong: (whenTooLong) => session.changeSettings({ ...session.state.settings, whenTooLong }),
      findTooLong: (passed) => findTooLong(passed),
      findUnsupported: ({ attachments }) => {
        // The attachments were already considered when the models of a comparison were chosen.
        if (origin === "compare") return undefined;
        const { selected, models } = offered();
        return findModalityWarning(requiredModalities(attachments), selected, models, modalitiesOf(earlier));
      },
      selectModel,
      ask: (question, stored = outgoing) => {
        const isFromComposer = origin === "composer";
        if (isFromComposer && outgoing !== undefined) draft.hold(outgoing, stored ?? outgoing);
        return this.#hold(conversation, question, isFromComposer);
      },
    };
    return conversation;
  }

  #hold(owner: object, question: SendQuestion, isFromComposer: boolean): Promise<SendChoice> {
    // A question that is replaced by another one is canceled, so that nothing waits for it forever.
    this.cancel();
    if (this.#isDisposed) return Promise.resolve("cancel");
    return new Promise((resolve) => {
      const stopListening = this.#context.session.subscribe(({ type }) => {
        if (type === "model" && holdReasons[question.kind].isAboutModel) decide("cancel");
      });
      const decide = (choice: SendChoice): void => {
        stopListening();
        resolve(choice);
      };
      this.#held = { owner, questionId: ++this.#questions, question, isFromComposer, decide };
      this.#show();
    });
  }

  /** Called when this owner's question has been decided. The page is notified if anything has changed. */
  #release(owner: object, composer?: ComposerEffect, outgoing?: Outgoing): void {
    const isHeld = this.#held?.owner === owner;
    if (isHeld) this.#held = undefined;
    if (isHeld || composer !== undefined) this.#show(composer, outgoing);
  }

  #show(composer?: ComposerEffect, outgoing?: Outgoing): void {
    const { held, queue } = this;
    const restored = composer === "restore" ? outgoing : undefined;
    this.#shownQueue = JSON.stringify(queue);
    this.#context.post(filledFields({ type: "sendState", held, queue, composer, restored }));
  }
}

function messagesBefore(messages: readonly Message[], id: string): readonly Message[] {
  const index = messages.findIndex((message) => message.id === id);
  return index === -1 ? messages : messages.slice(0, index);
}
