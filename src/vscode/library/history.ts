import * as vscode from "vscode";
import type { Conversation } from "../../core/conversation/conversation.ts";
import type { ConversationSearch, ConversationStore } from "../../core/conversation/conversationStore.ts";
import {
  groupConversations,
  conversationGroupings,
  listedTitle,
  titleForMessages,
} from "../../core/library/history/conversationGroups.ts";
import type {
  ConversationGroup,
  ConversationGrouping,
} from "../../core/library/history/conversationGroups.ts";
import {
  showConfirmation,
  showInformationMessage,
  showInputBox,
  showWarningMessage,
} from "../shell/window.ts";
import type { CommandName } from "../shell/commandIds.ts";
import { revealStorage } from "../conversation/conversationFile.ts";
import { openWorkspace } from "../shell/ownMachine.ts";
import type { ExportFormat } from "../../core/library/history/exportPieces.ts";
import { pickConversation } from "./conversationPicker.ts";
import type { PickedConversation } from "./conversationPicker.ts";
import type { HistoryNode } from "./historyNode.ts";

/** The open conversations, as provided by the chat to the history. */
interface OpenConversations {
  readonly extensionUri: vscode.Uri;
  readonly storageUri: vscode.Uri;
  readonly globalState: vscode.Memento;
  store(): Promise<ConversationStore & ConversationSearch>;
  /** Why conversations can't be stored at the moment; undefined if they can. */
  trouble(): string | undefined;
  /** The ID of the active panel's conversation. */
  activeId(): string | undefined;
  /** Shows the conversation, scrolled to what was found. */
  open(conversation: PickedConversation): Promise<void>;
  /** Gives an open conversation its new title, which is already stored. */
  rename(id: string, title: string): void;
  /** Stops the response in progress and closes the panel; returns whether there was one. */
  close(id: string): boolean;
  /** Called when the deleted conversation can't be restored anymore, so that other files about it are deleted too. */
  forget(id: string): void;
}

/** The key in the memory of what the list is grouped by. */
const groupingKey = "inferenceGateway.conversationGrouping";

/** All actions on stored conversations. Without an ID, they apply to the active one, or to one that the user picks. */
export class History {
  readonly #chats: OpenConversations;

  constructor(chats: OpenConversations) {
    this.#chats = chats;
  }

  /** Why conversations can't be stored at the moment; undefined if they can. */
  get trouble(): string | undefined {
    return this.#chats.trouble();
  }

  /** The tree row that has the keyboard focus. */
  async focused(view: vscode.TreeView<HistoryNode>): Promise<HistoryNode | undefined> {
    const { readFocusedRow } = await import("./historyTree.ts");
    return readFocusedRow(view);
  }

  async groups(): Promise<readonly ConversationGroup[]> {
    const context = { by: this.#grouping, now: Date.now(), workspace: openWorkspace() };
    return groupConversations((await this.#chats.store()).list(), context);
  }

  get #grouping(): ConversationGrouping {
    const stored = this.#chats.globalState.get<unknown>(groupingKey);
    return conversationGroupings.find((grouping) => grouping === stored) ?? "time";
  }

  /** Asks how the list is grouped, from now on and in every window. */
  async group(): Promise<void> {
    const { askForGrouping } = await import("./conversationTags.ts");
    const picked = await askForGrouping(this.#grouping);
    if (picked !== undefined) await this.#chats.globalState.update(groupingKey, picked);
  }

  /** Changes whenever the groups may have changed: with every change, and every day. */
  async version(): Promise<string> {
    return `${(await this.#chats.store()).listVersion()} ${new Date().toDateString()} ${this.#grouping}`;
  }

  /** Shows the conversation. Without an ID, the user searches for one. */
  async open(id?: string): Promise<void> {
    if (id !== undefined) return this.#chats.open({ id });
    const picked = await this.#pick(vscode.l10n.t("Open Conversation"));
    if (picked !== undefined) await this.#chats.open(picked);
  }

  async rename(id?: string): Promise<void> {
    const conversation = await this.#choose(id, vscode.l10n.t("Rename Conversation"));
    if (conversation === undefined) return;
    const title = await showInputBox({
      title: vscode.l10n.t("Rename Conversation"),
      value: conversation.title,
      validateInput: (value) =>
        value.trim() === "" ? vscode.l10n.t("A conversation needs a title.") : undefined,
    });
    if (title === undefined || title.trim() === "") return;
    (await this.#chats.store()).save({
      type: "title",
      id: conversation.id,
      title: title.trim(),
      source: "user",
    });
    this.#chats.rename(conversation.id, title.trim());
  }

  async pin(id: string | undefined, isPinned: boolean): Promise<void> {
    const conversation = await this.#choose(id, vscode.l10n.t("Pin Conversation"));
    if (conversation !== undefined)
      (await this.#chats.store()).save({ type: "pin", id: conversation.id, isPinned });
  }

  /** Asks for the tags of the conversation. */
  async tag(id: string | undefined): Promise<void> {
    const title = vscode.l10n.t("Edit Tags");
    const conversation = await this.#choose(id, title);
    if (conversation === undefined) return;
    const store = await this.#chats.store();
    const known = store.list().flatMap(({ tags = [] }) => tags);
    const { askForTags } = await import("./conversationTags.ts");
    const heading = vscode.l10n.t("{0}: {1}", title, listedTitle(conversation.title));
    const tags = await askForTags(heading, conversation.tags ?? [], known);
    if (tags !== undefined) store.save({ type: "tags", id: conversation.id, tags });
  }

  /** Deletes the conversation at once. The notification can undo that. */
  async delete(id?: string): Promise<void> {
    const conversation = await this.#choose(id, vscode.l10n.t("Delete Conversation"));
    if (conversation === undefined) return;
    const store = await this.#chats.store();
    const wasOpen = this.#chats.close(conversation.id);
    store.save({ type: "delete", id: conversation.id });
    store.flush();
    const undo = vscode.l10n.t("Undo");
    const message = vscode.l10n.t("“{0}” was deleted.", titleForMessages(conversation.title));
    void showInformationMessage(message, undo).then(async (response) => {
      if (response !== undo) {
        store.save({ type: "purge", id: conversation.id });
        return this.#chats.forget(conversation.id);
      }
      if (!(await this.#undoDeletion(conversation))) return;
      if (wasOpen) void this.#chats.open({ id: conversation.id });
    });
  }

  /** Returns false, with a message, if it can't be restored anymore: it is permanently removed after an hour. */
  async #undoDeletion({ id, title }: Conversation): Promise<boolean> {
    const store = await this.#chats.store();
    store.save({ type: "restore", id });
    await store.persist();
    if (store.list().some((stored) => stored.id === id)) return true;
    void showWarningMessage(
      vscode.l10n.t(
        "“{0}” can't be restored. It was deleted too long ago, or another window has removed it permanently.",
        titleForMessages(title),
      ),
    );
    return false;
  }

  async export(id: string | undefined, format: ExportFormat): Promise<void> {
    const titles = {
      md: vscode.l10n.t("Export Conversation as Markdown"),
      json: vscode.l10n.t("Export Conversation as JSON"),
      html: vscode.l10n.t("Export Conversation as HTML"),
    };
    const conversation = await this.#choose(id, titles[format]);
    if (conversation === undefined) return;
    const { saveExport } = await import("./exportConversation.ts");
    await saveExport(conversation, format);
  }

  async copyAsMarkdown(id: string | undefined): Promise<void> {
    const conversation = await this.#choose(id, vscode.l10n.t("Copy Conversation as Markdown"));
    if (conversation === undefined) return;
    const { copyAsMarkdown } = await import("./exportConversation.ts");
    await copyAsMarkdown(conversation);
  }

  /** Imports conversations from other programs, and our own exports. Resolves to their IDs. */
  async import(): Promise<readonly string[]> {
    const { importConversations } = await import("./importConversations.ts");
    return await importConversations(await this.#chats.store(), this.#chats.extensionUri);
  }

  /** Writes all conversations into one archive that can be imported. */
  async exportAll(): Promise<void> {
    const store = await this.#chats.store();
    if (store.list().length === 0) return this.#showEmpty();
    const { saveAllConversations } = await import("./exportConversation.ts");
    await saveAllConversations(store);
  }

  /** Verifies what is stored, and takes over what backups and other files have. */
  async checkStorage(): Promise<void> {
    const { showStorageCheck } = await import("./checkStorage.ts");
    await showStorageCheck(this.#chats);
  }

  /** Shows where the conversations are stored. */
  async revealStorage(): Promise<void> {
    await revealStorage(this.#chats.storageUri);
  }

  async #choose(id: string | undefined, title: string): Promise<Conversation | undefined> {
    const store = await this.#chats.store();
    const active = this.#chats.activeId();
    const stored = await store.loadOnceUnlocked(id ?? active ?? "");
    if (stored !== undefined || id !== undefined) return stored;
    const picked = await this.#pick(title);
    return picked === undefined ? undefined : store.loadOnceUnlocked(picked.id);
  }

  #showEmpty(): void {
    showConfirmation(vscode.l10n.t("There are no conversations yet."));
  }

  async #pick(title: string): ReturnType<typeof pickConversation> {
    const store = await this.#chats.store();
    if (store.list().length === 0) {
      this.#showEmpty();
      return undefined;
    }
    return pickConversation(store, title, {
      rename: (id) => this.rename(id),
      pin: (id, isPinned) => this.pin(id, isPinned),
      tag: (id) => this.tag(id),
      delete: (id) => this.delete(id),
    });
  }
}

/** The commands of the view and the palette. Those that resolve to IDs want one of these conversations to be selected. */
export const historyCommands: {
  readonly [N in Exclude<CommandName<"history">, "showMoreConversations">]: (
    history: History,
    id?: string,
  ) => Promise<readonly string[] | void>;
} = {
  openConversation: (history, id) => history.open(id),
  searchConversations: (history) => history.open(),
  renameConversation: (history, id) => history.rename(id),
  pinConversation: (history, id) => history.pin(id, true),
  unpinConversation: (history, id) => history.pin(id, false),
  tagConversation: (history, id) => history.tag(id),
  groupConversationsBy: (history) => history.group(),
  deleteConversation: (history, id) => history.delete(id),
  exportMarkdown: (history, id) => history.export(id, "md"),
  exportJson: (history, id) => history.export(id, "json"),
  exportHtml: (history, id) => history.export(id, "html"),
  copyAsMarkdown: (history, id) => history.copyAsMarkdown(id),
  exportAllConversations: (history) => history.exportAll(),
  importConversations: (history) => history.import(),
  revealConversationStorage: (history) => history.revealStorage(),
  checkConversationStorage: (history) => history.checkStorage(),
};
