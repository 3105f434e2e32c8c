import type { ChatSession } from "../../conversation/chatSession.ts";
import type { ContentPart, Modality, Model } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import { emptyDraft } from "../../conversation/conversationStore.ts";
import type { Draft } from "../../conversation/conversationStore.ts";
import { findModalityWarning, modalitiesOf, requiredModalities } from "../attachments/modalities.ts";
import type { Outgoing } from "./outgoing.ts";
import type { SendGate, SendGateConversation } from "./sendGate.ts";
import { holdReasons } from "./sendQuestion.ts";
import type {
  ComposerEffect,
  HeldMessage,
  SendAnswer,
  SendChoice,
  SendQuestion,
  SendState,
  TooLong,
} from "./sendQuestion.ts";

export interface OutboxContext {
  readonly session: ChatSession;
  readonly gate: SendGate;
  /** The composer's draft. `hold` keeps it, but writes a different one to disk. */
  readonly draft: { keep(draft: Draft): void; hold(draft: Draft, stored: Draft): void };
  post(state: SendState): void;
  /** Asks outside the page whether a held message should be sent as it is. */
  confirm(question: SendQuestion): Promise<boolean>;
  findTooLong(outgoing: Outgoing | undefined): TooLong | undefined;
  /** The model that will respond next, and all known models. */
  offered(): { readonly selected?: string; readonly models: readonly Model[] };
  /**
   * Lets the user choose a model, listing those that support these modalities first. Also resolves if the user cancels.
   */
  selectModel(modalities: readonly Modality[]): Promise<void>;
  reportError(error: unknown): void;
}

/** A request from the page to send something, or its decision about a held message. */
export type SendRequest =
  | { readonly type: "send"; readonly text: string; readonly attachments: readonly ContentPart[] }
  /** Another version of one of the user's messages. */
  | {
      readonly type: "edit";
      readonly messageId: string;
      readonly text: string;
      readonly attachments: readonly ContentPart[];
    }
  | SendAnswer;

/** Where a message is sent from; undefined if a response to the existing messages is requested. */
type Origin = "composer" | "edit" | "compare" | undefined;

/** A message waiting for the user's decision. */
interface Held extends HeldMessage {
  /** The object that asked the question. Only it can release the message. */
  readonly owner: object;
  decide(choice: SendChoice): void;
}

/**
 * Sends the messages of one panel's user. Each message passes the gate, and this is the only place where it waits if
 * the gate has a question. The page gets the complete state with every change and in each snapshot, and the user's
 * decision lets the gate continue. In the meantime, a message from the composer is in the draft.
 */
export class Outbox {
  readonly #context: OutboxContext;
  #held: Held | undefined;
  #questions = 0;
  /** Tools may return results at the same time, but the user is asked about them one by one. */
  #lastResult: Promise<unknown> = Promise.resolve();

  constructor(context: OutboxContext) {
    this.#context = context;
  }

  /** The message that is waiting for a decision, for a new page. */
  get held(): HeldMessage | undefined {
    if (this.#held === undefined) return undefined;
    const { questionId, question, isFromComposer } = this.#held;
    return { questionId, question, isFromComposer };
  }

  handle(request: SendRequest): void {
    const { session } = this.#context;
    switch (request.type) {
      case "send":
        return this.#pass(
          request,
          "composer",
          ({ text, attachments }) => session.send(text, attachments) === "sent",
        );
      case "edit":
        return this.#pass(
          request,
          "edit",
          ({ text, attachments }) => session.edit(request.messageId, text, attachments) === "sent",
          messagesBefore(session.state.messages, request.messageId),
        );
      case "answerSend":
        if (this.#held?.questionId === request.questionId) this.#decide(this.#held, request.choice);
    }
  }

  /** Has several models respond to the draft, or to the user's last message if the draft is empty. */
  compare(draft: Draft, models: readonly string[]): void {
    const { session, draft: stored } = this.#context;
    if (draft.text.trim() === "" && draft.attachments.length === 0)
      return this.again(() => session.compare(models));
    this.#pass(draft, "compare", (passed) => {
      if (session.state.isStreaming) return false;
      session.compare(models, passed);
      stored.keep(emptyDraft);
      return true;
    });
  }

  /** Requests a response without a new message. */
  again(ask: () => void): void {
    const { gate, reportError } = this.#context;
    const conversation = this.#conversation(undefined);
    gate
      .mayAsk(conversation)
      .then((mayAsk) => {
        this.#release(conversation);
        if (mayAsk) ask();
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

  /** Sending a message as it is must be confirmed outside the page if necessary; otherwise the question stays open. */
  #decide(held: Held, choice: SendChoice): void {
    const { confirm, reportError } = this.#context;
    if (choice !== "send") return held.decide(choice);
    confirm(held.question)
      .then((isConfirmed) => {
        if (isConfirmed && this.#held === held) held.decide(choice);
      })
      .catch(reportError);
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

  #pass(
    outgoing: Outgoing,
    origin: Exclude<Origin, undefined>,
    send: (passed: Outgoing) => boolean,
    earlier: readonly Message[] = this.#context.session.state.messages,
  ): void {
    const { gate, draft, reportError } = this.#context;
    this.cancel();
    const conversation = this.#conversation(origin, outgoing, earlier);
    gate
      .pass(outgoing, conversation)
      .then((passed) => {
        const wasHeld = this.#held?.owner === conversation;
        const isSent = passed !== undefined && send(passed);
        if (isSent && origin === "composer") draft.keep(emptyDraft);
        this.#release(
          conversation,
          composerEffect(origin, { isSent, wasHeld, hasPassed: passed !== undefined }),
        );
      })
      .catch((error: unknown) => {
        this.#release(conversation, "restore");
        reportError(error);
      });
  }

  #conversation(origin: Origin, outgoing?: Outgoing, earlier: readonly Message[] = []): SendGateConversation {
    const { session, draft, findTooLong, selectModel, offered } = this.#context;
    const conversation: SendGateConversation = {
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
  #release(owner: object, composer?: ComposerEffect): void {
    const isHeld = this.#held?.owner === owner;
    if (isHeld) this.#held = undefined;
    if (isHeld || composer !== undefined) this.#show(composer);
  }

  #show(composer?: ComposerEffect): void {
    const { held } = this;
    this.#context.post({
      type: "sendState",
      ...(held === undefined ? {} : { held }),
      ...(composer === undefined ? {} : { composer }),
    });
  }
}

interface Outcome {
  readonly isSent: boolean;
  /** Whether the composer got the message back while the question was open. */
  readonly wasHeld: boolean;
  readonly hasPassed: boolean;
}

/** The page clears the composer when it sends a message itself, but not for a message to several models. */
function composerEffect(
  origin: Exclude<Origin, undefined>,
  { isSent, wasHeld, hasPassed }: Outcome,
): ComposerEffect | undefined {
  if (isSent) return origin === "compare" || (origin === "composer" && wasHeld) ? "clear" : undefined;
  // A held message is in the composer, where the user may have changed it since.
  if (origin === "composer") return hasPassed ? "restore" : undefined;
  return origin === "edit" ? "restore" : undefined;
}

function messagesBefore(messages: readonly Message[], id: string): readonly Message[] {
  const index = messages.findIndex((message) => message.id === id);
  return index === -1 ? messages : messages.slice(0, index);
}
