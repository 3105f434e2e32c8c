import type { ContentPart } from "./completion.ts";
import { canContinue } from "./continuation.ts";
import type { Conversation, ConversationSettings, Message } from "./conversation.ts";
import { emptyDraft } from "./conversationStore.ts";
import type { ChangeMark } from "./conversationStore.ts";
import { conversationTitle, untitled } from "./conversationTitle.ts";
import { ConversationState } from "./conversationState.ts";
import type { ConversationStateContext } from "./conversationState.ts";
import { ActiveCompletions } from "./activeCompletions.ts";
import type { ActiveCompletionsContext } from "./activeCompletions.ts";
import type { SessionEvent } from "./sessionEvent.ts";
import { followOtherWindows } from "./otherWindows.ts";
import type { RequestChanges, ActiveCompletion } from "./activeCompletion.ts";

/** What floor 0 does not have by itself, and the ports of the session. */
export interface ChatSessionContext extends ConversationStateContext, ActiveCompletionsContext {
  /** Runs a function once after so many milliseconds; returns its cancellation. Without it no other window is followed. */
  schedule?(run: () => void, ms: number): () => void;
  /** How much of the stored conversation was known when it was loaded; all of it unless given. */
  readonly mark?: ChangeMark;
}

/** A conversation as it is now, for everyone who doesn't change it. */
export type SessionState = Readonly<
  Pick<
    ConversationState,
    | "title"
    | "model"
    | "settings"
    | "isStreaming"
    | "isOpen"
    | "limitedId"
    | "retryView"
    | "comparison"
    | "messages"
    | "versions"
    | "unsentIds"
    | "find"
    | "pathTo"
    | "versionsOf"
  >
>;

/** The outcome of sending a message: `busy` while a response is under way, `empty` without text and attachments. */
export type SendOutcome = "sent" | "busy" | "empty";

/**
 * Owns one conversation, a tree of which one path is shown: sends its turns, takes in the responses and has all of it
 * stored as it comes. Pages come and go; any number of them may listen. One turn at a time; several models may answer
 * it at once.
 */
export class ChatSession {
  readonly id: string;
  readonly #active = new Map<string, ActiveCompletion>();
  readonly #state: ConversationState;
  readonly #completions: ActiveCompletions;
  readonly #stopFollowing: () => void;

  constructor(conversation: Conversation, context: ChatSessionContext) {
    this.id = conversation.id;
    this.#state = new ConversationState(conversation, context, this.#active);
    this.#completions = new ActiveCompletions(this.#state, this.#active, context);
    const { store, mark, schedule } = context;
    this.#stopFollowing = followOtherWindows(this.#state, {
      store,
      ...(mark === undefined ? {} : { mark }),
      isOurs: (messageId) => this.#completions.has(messageId),
      onTakenIn: (messages) => this.#completions.takeIn(messages),
      reportError: (error) => context.reportError(error),
      schedule: (run, ms) => schedule?.(run, ms) ?? (() => undefined),
    });
  }

  /** The conversation as it is at any time. */
  get state(): SessionState {
    return this.#state;
  }

  /**
   * Returns the function that removes the listener. A listener that is added in mid-stream reads `state.messages` first:
   * every later delta follows on them.
   */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#state.subscribe(listener);
  }

  selectModel(model: string): void {
    this.#state.selectModel(model);
  }

  rename(title: string): void {
    this.#state.rename(title);
  }

  /** What the coming answers are asked with. */
  changeSettings(settings: ConversationSettings): void {
    this.#state.changeSettings(settings);
  }

  /** Adds the user's message and asks for a response; anything but `sent` has changed nothing. */
  send(text: string, attachments: readonly ContentPart[] = []): SendOutcome {
    if (this.#state.isStreaming) return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#ask(text, attachments);
    this.#completions.begin();
    return "sent";
  }

  /** Sends another version of one of the user's messages; the old one stays with all that followed it. */
  edit(messageId: string, text: string, attachments: readonly ContentPart[]): SendOutcome {
    const old = this.#state.tree.find(messageId);
    if (this.#state.isStreaming || old?.role !== "user") return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#state.leaveComparison();
    this.#state.addQuestion(old.parentId, text, attachments);
    this.#completions.begin();
    return "sent";
  }

  /** Asks for another version of a response; `model` may be another one than that of the conversation. */
  regenerate(messageId: string, model?: string, changes: RequestChanges = {}): void {
    this.#completions.settle();
    const { tree } = this.#state;
    const old = tree.find(messageId);
    if (this.#state.isStreaming || old?.role !== "assistant") return;
    this.#state.leaveComparison();
    tree.end(old.parentId);
    // Unless another window is still writing it, nothing is lost with it, and failures aren't worth browsing.
    if (isEmptyResponse(old) && old.status !== "streaming") this.#state.removeMessage(old);
    this.#completions.begin({ changes, ...(model === undefined ? {} : { models: [model] }) });
  }

  /** Asks again for the last response, if it is missing, empty, failed or stopped. */
  retry(): void {
    this.#completions.settle();
    const last = this.#state.tree.path.at(-1);
    if (this.#state.isStreaming || last === undefined) return;
    if (last.role !== "assistant") this.#completions.begin();
    else if (last.status !== "complete" || isEmptyResponse(last)) this.regenerate(last.id);
  }

  /** Repeats a request that was rejected as too long, with less of what precedes it. */
  retryShorter(messageId: string): void {
    const old = this.#state.tree.find(messageId);
    if (this.#state.isStreaming || old?.error?.reason !== "contextLength") return;
    if (this.#state.settings.whenTooLong === undefined) {
      this.changeSettings({ ...this.#state.settings, whenTooLong: "oldest" });
    }
    this.regenerate(messageId, old.model, { shorten: old.error.tokens ?? {} });
  }

  /** Asks again for a response that was rejected for a parameter, without it; so is this model from now on. */
  retryWithoutParameter(messageId: string): void {
    const old = this.#state.tree.find(messageId);
    const parameter = old?.error?.parameter;
    if (this.#state.isStreaming || parameter === undefined) return;
    const model = old?.model ?? this.#state.model;
    if (model !== undefined) this.#completions.leaveOut(model, parameter);
    const { parameters = {} } = this.#state.settings;
    if (Object.hasOwn(parameters, parameter)) {
      const rest = Object.entries(parameters).filter(([name]) => name !== parameter);
      this.changeSettings({ ...this.#state.settings, parameters: Object.fromEntries(rest) });
    }
    this.regenerate(messageId, old?.model);
  }

  /** Has later requests include a message that they would leave out. */
  includeMessage(messageId: string): void {
    const message = this.#state.tree.find(messageId);
    if (message !== undefined && this.#state.unsentIds.includes(messageId))
      this.#state.replaceMessage({ ...message, isIncluded: true });
  }

  /** Continues from where a response broke off, in a version of its own that begins with all that had come. */
  continueResponse(messageId: string): void {
    this.#completions.settle();
    const broken = this.#state.tree.find(messageId);
    if (this.#state.isStreaming || broken === undefined || !canContinue(broken)) return;
    this.#state.leaveComparison();
    this.#completions.begin({ broken });
  }

  /** Runs the calls of the last response that have no results yet, and continues with the model. */
  continueTools(messageId: string): void {
    this.#completions.settle();
    const caller = this.#state.tree.path.findLast(({ role }) => role !== "tool");
    if (this.#state.isStreaming || caller?.id !== messageId || caller.toolCalls.length === 0) return;
    this.#state.leaveComparison();
    this.#completions.followTools(caller);
  }

  /** Sends this message to several models at once, or the last message of the user if this one is empty. */
  compare(models: readonly string[], { text, attachments } = emptyDraft): void {
    this.#completions.settle();
    if (this.#state.isStreaming || models.length === 0) return;
    if (text.trim() !== "" || attachments.length > 0) this.#ask(text, attachments);
    const { tree } = this.#state;
    const question = tree.path.findLast(({ role }) => role === "user");
    if (question === undefined) return;
    tree.compare([]);
    tree.end(question.id);
    tree.compare(this.#completions.begin({ models }));
    this.#state.emit({ type: "path" });
  }

  /** Shows this version of a message, and what followed it. Of answers that are compared, continues with this one. */
  selectVersion(messageId: string): void {
    if (this.#state.tree.find(messageId) !== undefined) this.#state.selectVersion(messageId);
  }

  /** Stops one response, or all of them, for the user: closes the socket and keeps the partial response. */
  stop(messageId?: string): void {
    this.#completions.stop(messageId);
  }

  /**
   * Closes the socket because VS Code exits. The partial response is kept as truncated, and listeners are no longer
   * notified.
   */
  dispose(): void {
    this.#state.dispose();
    this.#stopFollowing();
    this.#completions.interrupt();
  }

  /** Ends the waits before the next attempts. */
  retryNow(): void {
    for (const completion of this.#active.values()) completion.retryNow?.();
  }

  #ask(text: string, attachments: readonly ContentPart[]): void {
    if (this.#state.title === untitled) this.rename(conversationTitle(text));
    this.#state.leaveComparison();
    this.#state.addQuestion(this.#state.tree.path.at(-1)?.id, text, attachments);
  }
}

function isEmptyResponse({ role, text, reasoning, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && reasoning === "" && toolCalls.length === 0;
}
