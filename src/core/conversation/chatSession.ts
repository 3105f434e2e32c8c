import type { ContentPart } from "./completion.ts";
import type { Adaptation } from "./adaptations.ts";
import { canContinue } from "./continuation.ts";
import type { Conversation, ConversationSettings, Message } from "./conversation.ts";
import { emptyDraft } from "./conversationStore.ts";
import type { ChangeMark } from "./conversationStore.ts";
import type { ForeignText } from "./quotes.ts";
import { conversationTitle, untitled } from "./conversationTitle.ts";
import { ConversationState } from "./conversationState.ts";
import type { ConversationStateContext } from "./conversationState.ts";
import { ActiveCompletions } from "./activeCompletions.ts";
import type { SessionEvent } from "./sessionEvent.ts";
import { followOtherWindows } from "./otherWindows.ts";
import type { ActiveCompletion, ActiveCompletionsContext, RequestChanges } from "./activeCompletion.ts";

/** The ports of the session, and capabilities that floor 0 lacks. */
interface ChatSessionContext extends ConversationStateContext, ActiveCompletionsContext {
  /**
   * Runs a function once after this many milliseconds; returns its cancellation. Without it, other windows are ignored.
   */
  schedule?(run: () => void, ms: number): () => void;
  /** How much of the stored conversation was known when it was loaded; by default all of it. */
  readonly mark?: ChangeMark;
}

/** The current conversation, for readers that don't change it. */
type SessionState = Readonly<
  Pick<
    ConversationState,
    | "title"
    | "model"
    | "settings"
    | "isStreaming"
    | "isOpen"
    | "isDisposed"
    | "limitedId"
    | "retryView"
    | "comparison"
    | "messages"
    | "versions"
    | "asideId"
    | "unsentIds"
    | "find"
    | "pathTo"
    | "versionsOf"
    | "withQuotes"
    | "noteQuotes"
  >
>;

/** The outcome of sending a message: `busy` while a response is in progress, `empty` without text and attachments. */
type SendOutcome = "sent" | "busy" | "empty";

/**
 * Owns one conversation, a tree of which one path is shown: sends its turns, collects the responses and stores
 * everything as it arrives. Pages may connect and disconnect; any number of them may listen. Only one turn at a time is
 * in progress, but several models may respond to it at once.
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

  /** The current conversation. */
  get state(): SessionState {
    return this.#state;
  }

  /** Whether no response may be requested: one is in progress, or the conversation was closed, so nobody could stop it. */
  get #isBusy(): boolean {
    return this.#state.isStreaming || this.#state.isDisposed;
  }

  /**
   * Returns a function that unsubscribes. A listener that subscribes in mid-stream reads `state.messages` first; every
   * later delta builds on them.
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

  /** Changes the settings for the responses that follow. */
  changeSettings(settings: ConversationSettings): void {
    this.#state.changeSettings(settings);
  }

  /** Remembers that this text was put into the composer without being typed. */
  noteForeign(foreign: ForeignText): void {
    this.#state.noteForeign(foreign);
  }

  /**
   * Adds the user's message and requests a response. Any result other than `sent` means that nothing was changed, also
   * because the conversation was closed while the message was checked.
   * @param id The ID of the message, if it already has one.
   */
  send(text: string, attachments: readonly ContentPart[] = [], id?: string): SendOutcome {
    if (this.#isBusy) return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#ask(text, attachments, id);
    this.#completions.begin();
    return "sent";
  }

  /**
   * Sends another version of one of the user's messages; the old one is kept along with everything that followed it.
   */
  edit(messageId: string, text: string, attachments: readonly ContentPart[]): SendOutcome {
    const old = this.#state.tree.find(messageId);
    if (this.#isBusy || old?.role !== "user") return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#state.leaveComparison();
    this.#state.addQuestion(old.parentId, text, attachments);
    this.#completions.begin();
    return "sent";
  }

  /** Requests another version of a response; `model` may differ from that of the conversation. */
  regenerate(messageId: string, model?: string, changes: RequestChanges = {}): void {
    this.#completions.settle();
    const { tree } = this.#state;
    const old = tree.find(messageId);
    if (this.#isBusy || old?.role !== "assistant") return;
    this.#state.leaveComparison();
    tree.end(old.parentId);
    // Unless another window is still writing it, nothing is lost by removing it, and failures aren't worth browsing.
    if (isEmptyResponse(old) && old.status !== "streaming") this.#state.removeMessage(old);
    this.#completions.begin({ changes, ...(model === undefined ? {} : { models: [model] }) });
  }

  /** Requests another version of a response, in place of which it is stopped, from the model to continue with. */
  async continueWith(messageId: string, model: string): Promise<void> {
    if (this.#state.find(messageId)?.status === "streaming") await this.stopAll();
    if (this.#isBusy) return;
    this.selectModel(model);
    this.regenerate(messageId, model);
  }

  /** Requests the last response again if it is missing, empty, failed or stopped. */
  retry(): void {
    this.#completions.settle();
    const last = this.#state.tree.path.at(-1);
    if (this.#isBusy || last === undefined) return;
    if (last.role !== "assistant") this.#completions.begin();
    else if (last.status !== "complete" || isEmptyResponse(last)) this.regenerate(last.id);
  }

  /** Repeats a request that was rejected as too long, with less of what precedes it. */
  retryShorter(messageId: string): void {
    const old = this.#state.tree.find(messageId);
    if (this.#isBusy || old?.error?.reason !== "contextLength") return;
    if (this.#state.settings.whenTooLong === undefined) {
      this.changeSettings({ ...this.#state.settings, whenTooLong: "oldest" });
    }
    this.regenerate(messageId, old.model, { shorten: old.error.tokens ?? {} });
  }

  /**
   * Requests a response again without the parameter or the input that its model rejected. Once that succeeds, later
   * requests to this model lack it, too.
   */
  retryWithoutRejected(messageId: string): void {
    const old = this.#state.tree.find(messageId);
    const { parameter, input } = old?.error ?? {};
    const adaptations: readonly Adaptation[] = [
      ...(parameter === undefined ? [] : [`field:${parameter}` as const]),
      ...(input === undefined ? [] : [`input:${input}` as const]),
    ];
    if (!this.#isBusy && adaptations.length > 0) this.regenerate(messageId, old?.model, { adaptations });
  }

  /**
   * Requests a response again that was rejected because too many output tokens were requested, with the server's limit.
   * It applies to the whole conversation.
   */
  retryWithTokenLimit(messageId: string): void {
    const old = this.#state.tree.find(messageId);
    const { tokenLimit, parameter = "max_tokens" } = old?.error ?? {};
    if (this.#isBusy || tokenLimit === undefined) return;
    const { settings } = this.#state;
    this.changeSettings({ ...settings, parameters: { ...settings.parameters, [parameter]: tokenLimit } });
    this.regenerate(messageId, old?.model);
  }

  /** Makes later requests include a message that they would leave out. */
  includeMessage(messageId: string): void {
    const message = this.#state.tree.find(messageId);
    if (message !== undefined && this.#state.unsentIds.includes(messageId))
      this.#state.replaceMessage({ ...message, isIncluded: true });
  }

  /** Continues from where a response broke off, in a separate version that begins with the partial response. */
  continueResponse(messageId: string): void {
    this.#completions.settle();
    const broken = this.#state.tree.find(messageId);
    if (this.#isBusy || broken === undefined || !canContinue(broken)) return;
    this.#state.leaveComparison();
    this.#completions.begin({ broken });
  }

  /** Runs the calls of the last response that have no results yet, and then continues with the model. */
  continueTools(messageId: string): void {
    this.#completions.settle();
    const caller = this.#state.tree.path.findLast(({ role }) => role !== "tool");
    if (this.#isBusy || caller?.id !== messageId || caller.toolCalls.length === 0) return;
    this.#state.leaveComparison();
    this.#completions.followTools(caller);
  }

  /** Sends this message to several models at once, or the last message of the user if this one is empty. */
  compare(models: readonly string[], { text, attachments } = emptyDraft): void {
    this.#completions.settle();
    if (this.#isBusy || models.length === 0) return;
    if (text.trim() !== "" || attachments.length > 0) this.#ask(text, attachments);
    const { tree } = this.#state;
    const question = tree.path.findLast(({ role }) => role === "user");
    if (question === undefined) return;
    tree.compare([]);
    tree.end(question.id);
    tree.compare(this.#completions.begin({ models }));
    this.#state.emit({ type: "path" });
  }

  /** Shows this version of a message and what followed it. If responses are being compared, continues with this one. */
  selectVersion(messageId: string): void {
    if (this.#state.tree.find(messageId) !== undefined) this.#state.selectVersion(messageId);
  }

  /** Stops everything in progress. Resolves when the tools have ended, too, so that another message can be sent. */
  stopAll(): Promise<void> {
    return this.#completions.stop();
  }

  /** Stops one response, or all of them, for the user: closes the socket and keeps the partial response. */
  stop(messageId?: string): void {
    void this.#completions.stop(messageId);
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

  /** Skips the waits before the next attempts. */
  retryNow(): void {
    for (const completion of this.#active.values()) completion.retryNow?.();
  }

  #ask(text: string, attachments: readonly ContentPart[], id?: string): void {
    if (this.#state.title === untitled) this.rename(conversationTitle(text));
    this.#state.leaveComparison();
    this.#state.addQuestion(this.#state.tree.path.at(-1)?.id, text, attachments, id);
  }
}

function isEmptyResponse({ role, text, reasoning, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && reasoning === "" && toolCalls.length === 0;
}
