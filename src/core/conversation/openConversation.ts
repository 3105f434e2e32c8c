import type { ContentPart, ToolCall } from "./completion.ts";
import type { Conversation, ConversationSettings, Message } from "./conversation.ts";
import { ConversationHead } from "./conversationHead.ts";
import type {
  CallStart,
  ConversationChanges,
  ConversationFields,
  ConversationStore,
  MessageDelta,
} from "./conversationStore.ts";
import { Listeners } from "../kernel/listeners.ts";
import { MessageTree } from "./messageTree.ts";
import { newAnswer, newQuestion, newRunningTool, newToolMessage } from "./newMessage.ts";
import type { MessageOrigin } from "./newMessage.ts";
import type { SessionEvent } from "./sessionEvent.ts";
import type { ToolMessagePlace } from "./sessionTools.ts";
import type { ToolResult } from "./toolPort.ts";

export interface OpenConversationContext {
  readonly store: ConversationStore;
  /** Milliseconds since 1970. */
  now(): number;
  createId(): string;
  /** For the log: what a listener threw. */
  reportError(error: unknown): void;
}

/** A conversation while it is open: whatever changes in it is stored and told. It decides nothing. */
export class OpenConversation {
  readonly id: string;
  readonly tree: MessageTree;
  readonly #context: OpenConversationContext;
  readonly #head: ConversationHead;
  readonly #listeners = new Listeners<SessionEvent>();
  /** Whether another window has deleted the conversation for good. */
  #isGone = false;

  constructor(conversation: Conversation, context: OpenConversationContext) {
    this.id = conversation.id;
    this.tree = new MessageTree(conversation.messages, conversation.leafId);
    this.#context = context;
    this.#head = new ConversationHead(conversation, context.store, () => context.now());
  }

  get title(): string {
    return this.#head.title;
  }

  get model(): string | undefined {
    return this.#head.model;
  }

  get settings(): ConversationSettings {
    return this.#head.settings;
  }

  /** Returns the function that takes the listener away again. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#listeners.add((event) => {
      try {
        listener(event);
      } catch (error) {
        // A page that breaks must neither cost the answer nor the other pages.
        this.#context.reportError(error);
      }
    });
  }

  emit(event: SessionEvent): void {
    this.#listeners.emit(event);
  }

  /** Nobody is told any more. */
  dispose(): void {
    this.#listeners.clear();
  }

  selectModel(model: string): void {
    if (this.#head.model === model) return;
    this.#head.model = model;
    this.#saveUnlessNew();
    this.emit({ type: "model", model });
  }

  rename(title: string): void {
    this.#head.title = title;
    this.#saveUnlessNew();
    this.emit({ type: "title", title });
  }

  changeSettings(settings: ConversationSettings): void {
    this.#head.settings = settings;
    this.#saveUnlessNew();
    this.emit({ type: "settings", settings });
  }

  addQuestion(parentId: string | undefined, text: string, attachments: readonly ContentPart[]): void {
    this.addMessage(newQuestion(this.#createOrigin(parentId), text, attachments));
  }

  /**
   * A call of a tool starts: resolves with its message once it is on disk, and only then is anyone told. Where it can't
   * be written, or another window has started it, resolves with that, and nothing has changed.
   * @param mayBeUnwritten The user accepts that it isn't on disk for now.
   */
  async startTool(
    place: ToolMessagePlace,
    { id }: ToolCall,
    mayBeUnwritten: boolean,
  ): Promise<Message | Exclude<CallStart, "started">> {
    const message = newRunningTool(this.#originAt(place), id);
    if (mayBeUnwritten) this.#put(message, place);
    else {
      // Calls that start side by side follow each other: the place is taken at once.
      this.#putInTree(message, place);
      this.#save();
      const start = await this.#context.store.startCall(this.id, message);
      if (start !== "started") {
        if ("replaces" in place) this.tree.replace(place.replaces);
        else this.tree.remove(message);
        return start;
      }
    }
    this.#emitPut(message, place);
    return message;
  }

  /** The result of a call: resolves once it is on disk, as far as the disk takes it, and was told. */
  async finishTool(place: ToolMessagePlace, { id }: ToolCall, result: ToolResult): Promise<void> {
    const message = newToolMessage(this.#originAt(place), id, result);
    const { store } = this.#context;
    if ("replaces" in place) store.saveMessage(this.id, message);
    else this.#put(message, place);
    await store.persist();
    if ("replaces" in place) this.tree.replace(message);
    this.#emitPut(message, place);
  }

  /** An answer that is still to be added, with the settings that it is asked with. */
  createAnswer(parentId: string | undefined, model: string | undefined): Message {
    return newAnswer(this.#createOrigin(parentId), {
      ...this.#head.answerFields,
      ...(model === undefined ? {} : { model }),
    });
  }

  /** @param current Of a message that streams: gives it as it is at any later time. */
  addMessage(message: Message, current?: () => Message): void {
    this.tree.add(message);
    this.#save();
    this.#context.store.saveMessage(this.id, message, current);
    this.emit({ type: "messageAdded", message });
  }

  growMessage(messageId: string, delta: MessageDelta): void {
    this.#context.store.appendDelta(this.id, messageId, delta);
    this.emit({ type: "delta", messageId, delta });
  }

  changeMessage(message: Message): void {
    this.#context.store.saveMessage(this.id, message);
    this.emit({ type: "messageChanged", message });
  }

  /** A message that doesn't grow has another form. */
  replaceMessage(message: Message): void {
    this.tree.replace(message);
    this.rewriteMessage(message);
  }

  /** The message has other text than it had, and grows on from there. */
  rewriteMessage(message: Message): void {
    this.#context.store.saveMessage(this.id, message);
    this.emit({ type: "messageReplaced", message });
  }

  /** The message has its final form, which is on disk when this returns. */
  finishMessage(message: Message): void {
    this.tree.replace(message);
    this.changeMessage(message);
    this.#context.store.flush();
  }

  /**
   * What another window has stored: undefined where nothing is stored any more, because the conversation was deleted for
   * good there. What is open here is stored again with the next change.
   */
  takeInFields(fields: ConversationFields | undefined): void {
    this.#isGone = fields === undefined && this.tree.all.length > 0;
    if (fields === undefined) return;
    const { title, model, settings = {} } = fields;
    const { title: oldTitle, model: oldModel, settings: oldSettings } = this.#head;
    this.#head.title = title;
    this.#head.settings = settings;
    this.#head.model = model ?? oldModel;
    if (title !== oldTitle) this.emit({ type: "title", title });
    if (model !== undefined && model !== oldModel) this.emit({ type: "model", model });
    if (JSON.stringify(settings) !== JSON.stringify(oldSettings)) this.emit({ type: "settings", settings });
  }

  /** The file was lost or damaged: stores again what is open here and not in the new one. */
  storeMissing({ fields, messages }: ConversationChanges, isOurs: (messageId: string) => boolean): void {
    const stored = new Set(messages.map(({ id }) => id));
    const missing = this.tree.all.filter(({ id }) => !stored.has(id));
    if (missing.length === 0) return;
    if (fields === undefined) this.#head.save(this.tree.leafId);
    // What grows here is written again with what it grows by.
    for (const message of missing) if (!isOurs(message.id)) this.#context.store.saveMessage(this.id, message);
  }

  /** Takes away a message that nothing follows. */
  removeMessage(message: Message): void {
    this.tree.remove(message);
    this.#context.store.deleteMessage(this.id, message.id);
  }

  /** Shows this version of a message, and what followed it, alone. */
  selectVersion(messageId: string): void {
    this.tree.compare([]);
    this.tree.select(messageId);
    this.#save();
    this.emit({ type: "path" });
  }

  /** Whoever goes on without choosing goes on with the answer that is the end of the path. */
  leaveComparison(): void {
    if (this.tree.comparison.length === 0) return;
    this.tree.compare([]);
    this.emit({ type: "path" });
  }

  #put(message: Message, place: ToolMessagePlace): void {
    this.#putInTree(message, place);
    this.#save();
    this.#context.store.saveMessage(this.id, message);
  }

  #putInTree(message: Message, place: ToolMessagePlace): void {
    if ("replaces" in place) this.tree.replace(message);
    else this.tree.add(message);
  }

  #emitPut(message: Message, place: ToolMessagePlace): void {
    this.emit({ type: "replaces" in place ? "messageChanged" : "messageAdded", message });
  }

  #originAt(place: ToolMessagePlace): MessageOrigin {
    if (!("replaces" in place)) return this.#createOrigin(place.parentId);
    const { id, parentId, createdAt } = place.replaces;
    return { id, parentId, createdAt };
  }

  #createOrigin(parentId: string | undefined): MessageOrigin {
    return { id: this.#context.createId(), parentId, createdAt: this.#context.now() };
  }

  /** A conversation without a message is not stored: it would be listed. */
  #saveUnlessNew(): void {
    if (this.tree.all.length > 0) this.#save();
  }

  #save(): void {
    this.#head.save(this.tree.leafId);
    if (!this.#isGone) return;
    this.#isGone = false;
    for (const message of this.tree.all) this.#context.store.saveMessage(this.id, message);
  }
}
