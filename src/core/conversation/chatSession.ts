import type { ContentPart } from "./completion.ts";
import { unansweredIds } from "./completionMessages.ts";
import { canContinue } from "./continuation.ts";
import type { Conversation, ConversationSettings, Message } from "./conversation.ts";
import { emptyDraft } from "./conversationStore.ts";
import type { ChangeMark } from "./conversationStore.ts";
import { conversationTitle, untitled } from "./conversationTitle.ts";
import { OpenConversation } from "./openConversation.ts";
import type { OpenConversationContext } from "./openConversation.ts";
import type { Versions } from "./messageTree.ts";
import { SessionAnswers } from "./sessionAnswers.ts";
import type { SessionAnswersContext } from "./sessionAnswers.ts";
import type { RetryView, SessionEvent } from "./sessionEvent.ts";
import { followOtherWindows } from "./otherWindows.ts";
import type { RequestChanges } from "./turns.ts";

/** What floor 0 does not have by itself, and the ports of the session. */
export interface ChatSessionContext extends OpenConversationContext, SessionAnswersContext {
  /** Runs a function once after so many milliseconds; returns its cancellation. Without it no other window is followed. */
  schedule?(run: () => void, ms: number): () => void;
  /** How much of the stored conversation was known when it was loaded; all of it unless given. */
  readonly mark?: ChangeMark;
}

/** What became of a message: `busy` while an answer is under way, `empty` without text and attachments. */
export type SendOutcome = "sent" | "busy" | "empty";

/**
 * Owns one conversation, a tree of which one path is shown: sends its turns, takes in the answers and has all of it
 * stored as it comes. Pages come and go; any number of them may listen. One turn at a time; several models may answer
 * it at once.
 */
export class ChatSession {
  readonly id: string;
  readonly #conversation: OpenConversation;
  readonly #answers: SessionAnswers;
  readonly #stopFollowing: () => void;

  constructor(conversation: Conversation, context: ChatSessionContext) {
    this.id = conversation.id;
    this.#conversation = new OpenConversation(conversation, context);
    this.#answers = new SessionAnswers(this.#conversation, context);
    const { store, mark, schedule } = context;
    this.#stopFollowing = followOtherWindows(this.#conversation, {
      store,
      ...(mark === undefined ? {} : { mark }),
      isOurs: (messageId) => this.#answers.has(messageId),
      onTakenIn: (messages) => this.#answers.takeIn(messages),
      reportError: (error) => context.reportError(error),
      schedule: (run, ms) => schedule?.(run, ms) ?? (() => undefined),
    });
  }

  get title(): string {
    return this.#conversation.title;
  }

  get model(): string | undefined {
    return this.#conversation.model;
  }

  get settings(): ConversationSettings {
    return this.#conversation.settings;
  }

  get isStreaming(): boolean {
    return this.#answers.isStreaming;
  }

  /** Whether something may still come, though it looks finished. */
  get isOpen(): boolean {
    return this.#answers.isOpen;
  }

  /** The answer whose calls were not run because there had been too many rounds of them. */
  get limitedId(): string | undefined {
    return this.#answers.limitedId;
  }

  get retryView(): RetryView | undefined {
    return this.#answers.retryView;
  }

  /** Ids of the answers that are shown side by side at the end of the path; empty where there is just one. */
  get comparison(): readonly string[] {
    return this.#conversation.tree.comparison;
  }

  /** The messages that are shown, as they are now: the path, with all of the answers that are compared. */
  get messages(): readonly Message[] {
    return this.#conversation.tree.shown.map((message) => this.#answers.current(message));
  }

  /** By the id of each shown message of which there are several versions: the ids of all of these. */
  get versions(): Versions {
    return this.#conversation.tree.versions;
  }

  /** Any message, shown or not. */
  find(messageId: string): Message | undefined {
    const message = this.#conversation.tree.find(messageId);
    return message === undefined ? undefined : this.#answers.current(message);
  }

  /** From the first message to this one. */
  pathTo(messageId: string): readonly Message[] {
    return this.#conversation.tree.pathTo(messageId).map((message) => this.#answers.current(message));
  }

  /** The ids of all versions of the message. */
  versionsOf(message: Message): readonly string[] {
    return this.#conversation.tree.versionsOf(message);
  }

  /**
   * Returns the function that takes the listener away again. A listener that comes in mid-stream reads `messages`
   * first: every later delta follows on them.
   */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#conversation.subscribe(listener);
  }

  selectModel(model: string): void {
    this.#conversation.selectModel(model);
  }

  rename(title: string): void {
    this.#conversation.rename(title);
  }

  /** What the coming answers are asked with. */
  changeSettings(settings: ConversationSettings): void {
    this.#conversation.changeSettings(settings);
  }

  /** Adds the user's message and asks for an answer; anything but `sent` has changed nothing. */
  send(text: string, attachments: readonly ContentPart[] = []): SendOutcome {
    if (this.isStreaming) return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#ask(text, attachments);
    this.#answers.begin();
    return "sent";
  }

  /** Sends another version of one of the user's messages; the old one stays with all that followed it. */
  edit(messageId: string, text: string, attachments: readonly ContentPart[]): SendOutcome {
    const old = this.#conversation.tree.find(messageId);
    if (this.isStreaming || old?.role !== "user") return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#conversation.leaveComparison();
    this.#conversation.addQuestion(old.parentId, text, attachments);
    this.#answers.begin();
    return "sent";
  }

  /** Asks for another version of an answer; `model` may be another one than that of the conversation. */
  regenerate(messageId: string, model?: string, changes: RequestChanges = {}): void {
    this.#answers.settle();
    const { tree } = this.#conversation;
    const old = tree.find(messageId);
    if (this.isStreaming || old?.role !== "assistant") return;
    this.#conversation.leaveComparison();
    tree.end(old.parentId);
    // Unless another window still writes it, nothing is lost with it, and nobody wants to leaf through failures.
    if (isEmptyAnswer(old) && old.status !== "streaming") this.#conversation.removeMessage(old);
    this.#answers.begin({ changes, ...(model === undefined ? {} : { models: [model] }) });
  }

  /** Asks again for the last answer, if it is missing, empty, failed or stopped. */
  retry(): void {
    this.#answers.settle();
    const last = this.#conversation.tree.path.at(-1);
    if (this.isStreaming || last === undefined) return;
    if (last.role !== "assistant") this.#answers.begin();
    else if (last.status !== "complete" || isEmptyAnswer(last)) this.regenerate(last.id);
  }

  /** Asks again for a response that was rejected as too long, with less of what came before it. */
  retryShorter(messageId: string): void {
    const old = this.#conversation.tree.find(messageId);
    if (this.isStreaming || old?.error?.reason !== "contextLength") return;
    if (this.settings.whenTooLong === undefined) {
      this.changeSettings({ ...this.settings, whenTooLong: "oldest" });
    }
    this.regenerate(messageId, old.model, { shorten: old.error.tokens ?? {} });
  }

  /** Asks again for a response that was rejected for a parameter, without it; so is this model from now on. */
  retryWithoutParameter(messageId: string): void {
    const old = this.#conversation.tree.find(messageId);
    const parameter = old?.error?.parameter;
    if (this.isStreaming || parameter === undefined) return;
    const model = old?.model ?? this.model;
    if (model !== undefined) this.#answers.leaveOut(model, parameter);
    const { parameters = {} } = this.settings;
    if (Object.hasOwn(parameters, parameter)) {
      const rest = Object.entries(parameters).filter(([name]) => name !== parameter);
      this.changeSettings({ ...this.settings, parameters: Object.fromEntries(rest) });
    }
    this.regenerate(messageId, old?.model);
  }

  /** The user's messages that later requests leave out, because no response to them came. */
  get unsentIds(): readonly string[] {
    return unansweredIds(this.#conversation.tree.path);
  }

  /** Has the model told a message of the user to which no response came. */
  includeMessage(messageId: string): void {
    const message = this.#conversation.tree.find(messageId);
    if (message?.role === "user") this.#conversation.replaceMessage({ ...message, isIncluded: true });
  }

  /** Goes on from where an answer broke off, in a version of its own that begins with all that had come. */
  continueAnswer(messageId: string): void {
    this.#answers.settle();
    const broken = this.#conversation.tree.find(messageId);
    if (this.isStreaming || broken === undefined || !canContinue(broken)) return;
    this.#conversation.leaveComparison();
    this.#answers.begin({ broken });
  }

  /** Runs the calls of the last answer that have no results yet, and goes on with the model. */
  continueTools(messageId: string): void {
    this.#answers.settle();
    const caller = this.#conversation.tree.path.findLast(({ role }) => role !== "tool");
    if (this.isStreaming || caller?.id !== messageId || caller.toolCalls.length === 0) return;
    this.#conversation.leaveComparison();
    this.#answers.followTools(caller);
  }

  /** Has several models answer at once: this message where it has content, else the last one of the user. */
  compare(models: readonly string[], { text, attachments } = emptyDraft): void {
    this.#answers.settle();
    if (this.isStreaming || models.length === 0) return;
    if (text.trim() !== "" || attachments.length > 0) this.#ask(text, attachments);
    const { tree } = this.#conversation;
    const question = tree.path.findLast(({ role }) => role === "user");
    if (question === undefined) return;
    tree.compare([]);
    tree.end(question.id);
    tree.compare(this.#answers.begin({ models }));
    this.#conversation.emit({ type: "path" });
  }

  /** Shows this version of a message, and what followed it. Of answers that are compared, goes on with this one. */
  selectVersion(messageId: string): void {
    if (this.#conversation.tree.find(messageId) !== undefined) this.#conversation.selectVersion(messageId);
  }

  /** The user's stop of one answer, or of all: closes the socket; what came is kept. */
  stop(messageId?: string): void {
    this.#answers.stop(messageId);
  }

  /** Closes the socket because VS Code ends: what came is kept as cut. Nobody is told any more. */
  dispose(): void {
    this.#conversation.dispose();
    this.#stopFollowing();
    this.#answers.interrupt();
  }

  /** Ends the wait before the next attempt. */
  retryNow(): void {
    this.#answers.retryNow();
  }

  #ask(text: string, attachments: readonly ContentPart[]): void {
    if (this.title === untitled) this.rename(conversationTitle(text));
    this.#conversation.leaveComparison();
    this.#conversation.addQuestion(this.#conversation.tree.path.at(-1)?.id, text, attachments);
  }
}

function isEmptyAnswer({ role, text, reasoning, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && reasoning === "" && toolCalls.length === 0;
}
