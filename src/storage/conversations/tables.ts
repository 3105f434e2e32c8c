import type { DatabaseSync } from "node:sqlite";
import type { Message } from "../../core/conversation/conversation.ts";
import type { StoredChange } from "../../core/conversation/conversationStore.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import { SearchIndex } from "../search/searchIndex.ts";
import { ClaimTable } from "./claimTable.ts";
import { ConversationReader } from "./conversationReader.ts";
import { ConversationWriter } from "./conversationWriter.ts";
import { DraftTable } from "./draftTable.ts";
import type { DraftOrigin } from "./draftTable.ts";
import { QueueTable } from "./queueTable.ts";

/** A change as it is written: along with what only the window that made it knows. */
export type Change =
  | Exclude<StoredChange, { readonly type: "draft" | "takeDraft" | "delete" }>
  | (Extract<StoredChange, { readonly type: "draft" | "takeDraft" }> & { readonly origin: DraftOrigin })
  /** @param at Milliseconds since 1970. */
  | { readonly type: "delete"; readonly id: string; readonly at: number }
  /** A streaming message has grown by this. */
  | ({ readonly type: "growth"; readonly conversationId: string; readonly messageId: string } & Pick<
      Message,
      "text" | "reasoning"
    >);

/** The conversation that a change belongs to. */
export function conversationOf(change: Change): string {
  if (change.type === "conversation") return change.fields.id;
  return "conversationId" in change ? change.conversationId : change.id;
}

/** Every table in an open database, with its statements. */
export class Tables {
  readonly conversations: ConversationReader;
  readonly writer: ConversationWriter;
  readonly drafts: DraftTable;
  readonly queue: QueueTable;
  readonly claims: ClaimTable;
  readonly search: SearchIndex;

  constructor(database: DatabaseSync) {
    this.conversations = new ConversationReader(database);
    this.writer = new ConversationWriter(database);
    this.drafts = new DraftTable(database);
    this.claims = new ClaimTable(database);
    this.queue = new QueueTable(database, this.claims);
    this.search = new SearchIndex(database);
  }

  /**
   * Makes the change, inside the caller's transaction. Returns false if a message has grown that doesn't exist.
   * @param windowId The window that has made it.
   */
  apply(change: Change, windowId: string): boolean {
    const { writer, drafts } = this;
    switch (change.type) {
      case "growth":
        return writer.putGrowth(change.conversationId, change.messageId, change);
      case "conversation":
        writer.putConversation(change.fields);
        break;
      case "pin":
        writer.pinConversation(change.id, change.isPinned);
        break;
      case "tags":
        writer.tagConversation(change.id, change.tags);
        break;
      case "title":
        writer.renameConversation(change.id, change.title, change.source);
        break;
      case "delete":
        writer.deleteConversation(change.id, change.at);
        break;
      case "restore":
        writer.restoreConversation(change.id);
        break;
      case "purge":
        writer.giveUp(change.id);
        if (this.conversations.isListed(change.id)) break;
        // A chat in which nothing was ever sent has no row of its own.
        drafts.removeAll(change.id);
        this.queue.removeAll(change.id);
        break;
      case "message": {
        const isStreaming = change.message.status === "streaming";
        writer.putMessage(change.conversationId, change.message, isStreaming ? windowId : undefined);
        break;
      }
      case "removeMessage":
        writer.deleteMessage(change.conversationId, change.messageId);
        break;
      case "draft":
        drafts.put(change.conversationId, change.draft, change.origin);
        break;
      case "takeDraft":
        drafts.takeOther(change.conversationId, change.windowId, change.origin);
        break;
      case "dropDraft":
        drafts.drop(change.conversationId, change.windowId);
        break;
      case "queue":
        this.queue.change(change.conversationId, change.change);
        break;
      default:
        assertNever(change);
    }
    return true;
  }
}
