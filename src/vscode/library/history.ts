import * as vscode from "vscode";
import type { Conversation, ConversationSummary } from "../../core/conversation/conversation.ts";
import type { ConversationSearch, ConversationStore } from "../../core/conversation/conversationStore.ts";
import {
  groupConversations,
  conversationGroupings,
  listedTitle,
  titleForMessages,
  pickedText,
  searchTitle,
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
import { hasLostRow } from "../shell/commandMenus.ts";
import { lostRowTitle, replaceItems } from "../shell/pickItem.ts";
import type { CommandName } from "../shell/commandIds.ts";
import { openWorkspace } from "../shell/ownMachine.ts";
import { conversationIdOf } from "./historyNode.ts";
import type { HistoryNode } from "./historyNode.ts";
import type { MessageHit, SearchExtent, SearchHit } from "../../core/conversation/searchResult.ts";
import { parseSearchQuery, parseSearchTerms } from "../../core/conversation/searchTerms.ts";
import { formatDate } from "../../core/kernel/formatTime.ts";

/** What the user chose in the picker, and where to scroll to. */
interface PickedConversation {
  readonly id: string;
  /** The message that was found, if the match was in a message. */
  readonly messageId?: string;
  /** The search terms in lowercase. */
  readonly words?: readonly string[];
}

/** The actions of a row's buttons. */
interface PickerActions {
  rename(id: string): Promise<void>;
  pin(id: string, isPinned: boolean): Promise<void>;
  tag(id: string): Promise<void>;
  delete(id: string): Promise<void>;
}

interface Item extends vscode.QuickPickItem {
  readonly choice: PickedConversation;
  readonly isPinned: boolean;
}

/** Milliseconds before a search is repeated while messages are being indexed. */
const indexingLookMs = 500;

/** Maximum number of conversations shown. The title indicates if there are more. */
const mostRecent = 200;

type SearchedStore = ConversationStore & ConversationSearch;

/**
 * Asks for a conversation: first the recent ones, then with every letter typed those with matching titles or messages.
 */
async function pickConversation(
  store: SearchedStore,
  title: string,
  actions: PickerActions,
): Promise<PickedConversation | undefined> {
  const picker = vscode.window.createQuickPick<Item>();
  picker.title = title;
  picker.placeholder = vscode.l10n.t("Search titles and messages, or tags with tag:");
  let timer: NodeJS.Timeout | undefined;
  const show = (): void => {
    clearTimeout(timer);
    const { items, extent } = findItems(picker.value, store);
    replaceItems(picker, items, ({ choice }) => JSON.stringify([choice.id, choice.messageId]));
    picker.title = searchTitle(title, extent);
    // Messages that are still being indexed are found as soon as they have been indexed.
    if (extent === "indexed") timer = setTimeout(show, indexingLookMs);
  };
  show();
  const picked = await new Promise<PickedConversation | undefined>((resolve) => {
    picker.onDidChangeValue(show);
    // If nothing was found, there is nothing to accept.
    picker.onDidAccept(() => picker.items.length > 0 && resolve(choiceOf(picker)));
    picker.onDidHide(() => resolve(undefined));
    picker.onDidTriggerItemButton(({ item, button }) => void runButton({ item, button, actions, show }));
    picker.show();
  });
  clearTimeout(timer);
  picker.dispose();
  return picked;
}

/** The first row if Enter came before VS Code had the rows for the last letter: what it selected is gone. */
function choiceOf({ selectedItems, items, value }: vscode.QuickPick<Item>): PickedConversation | undefined {
  const [item] = selectedItems.length > 0 ? selectedItems : items;
  return item === undefined ? undefined : { ...item.choice, words: parseSearchTerms(value) };
}

function findItems(
  query: string,
  store: SearchedStore,
): { readonly items: readonly Item[]; readonly extent: SearchExtent } {
  if (parseSearchQuery(query) !== undefined) {
    const { hits, extent } = store.search(query);
    const items = hits.slice(0, mostRecent).flatMap(hitItems);
    return { items, extent: hits.length > mostRecent ? "cut" : extent };
  }
  const isPinned = (conversation: ConversationSummary): number => Number(conversation.isPinned === true);
  const recent = store.list().toSorted((left, right) => isPinned(right) - isPinned(left));
  const items = recent.slice(0, mostRecent).map((conversation) => createItem(conversation));
  return { items, extent: recent.length > mostRecent ? "cut" : "all" };
}

/** A row for the title, or one for each message that was found. */
function hitItems({ conversation, messages }: SearchHit): readonly Item[] {
  return messages.length === 0
    ? [createItem(conversation)]
    : messages.map((message) => createItem(conversation, message));
}

function createItem(conversation: ConversationSummary, hit?: MessageHit): Item {
  const { id, updatedAt, tags = [] } = conversation;
  const title = pickedText(listedTitle(conversation.title));
  const isPinned = conversation.isPinned === true;
  return {
    label: isPinned ? `$(pinned) ${title}` : title,
    description: [formatDate(updatedAt), ...tags.map((tag) => `#${pickedText(tag)}`)].join(" "),
    ...(hit === undefined ? {} : { detail: pickedText(hit.snippet) }),
    // The search determines what is shown, not the list's filter.
    alwaysShow: true,
    buttons: [
      {
        iconPath: new vscode.ThemeIcon(isPinned ? "pinned" : "pin"),
        tooltip: isPinned ? vscode.l10n.t("Unpin") : vscode.l10n.t("Pin"),
      },
      { iconPath: new vscode.ThemeIcon("edit"), tooltip: vscode.l10n.t("Rename…") },
      { iconPath: new vscode.ThemeIcon("trash"), tooltip: vscode.l10n.t("Delete") },
      { iconPath: new vscode.ThemeIcon("tag"), tooltip: vscode.l10n.t("Edit Tags…") },
    ],
    choice: { id, ...(hit === undefined ? {} : { messageId: hit.messageId }) },
    isPinned,
  };
}

interface TriggeredButton {
  readonly item: Item;
  readonly button: vscode.QuickInputButton;
  readonly actions: PickerActions;
  show(): void;
}

/** Renaming a conversation and editing its tags use separate inputs, which replace the list. */
async function runButton({ item, button, actions, show }: TriggeredButton): Promise<void> {
  const { id } = item.choice;
  const index = item.buttons?.indexOf(button) ?? -1;
  if (index === 1) return actions.rename(id);
  if (index === 3) return actions.tag(id);
  if (index === 2) await actions.delete(id);
  else await actions.pin(id, !item.isPinned);
  show();
}

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
    const picked = await this.pick(vscode.l10n.t("Open Conversation"));
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

  async export(id: string | undefined): Promise<void> {
    const conversation = await this.#choose(id, vscode.l10n.t("Export Conversation"));
    if (conversation === undefined) return;
    const { exportConversation } = await import("./exportConversation.ts");
    await exportConversation(conversation);
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

  /** Verifies what is stored, shows where it is, and takes over what backups and other files have. */
  async checkStorage(): Promise<void> {
    const { showStorageCheck } = await import("./checkStorage.ts");
    await showStorageCheck(this.#chats);
  }

  async #choose(id: string | undefined, title: string): Promise<Conversation | undefined> {
    const store = await this.#chats.store();
    const active = this.#chats.activeId();
    const stored = await store.loadOnceUnlocked(id ?? active ?? "");
    if (stored !== undefined || id !== undefined) return stored;
    const picked = await this.pick(title);
    return picked === undefined ? undefined : store.loadOnceUnlocked(picked.id);
  }

  #showEmpty(): void {
    showConfirmation(vscode.l10n.t("There are no conversations yet."));
  }

  /** The conversation that the user picks. */
  async pick(title: string): ReturnType<typeof pickConversation> {
    const store = await this.#chats.store();
    if (store.list().length === 0) {
      this.#showEmpty();
      return undefined;
    }
    return pickConversation(store, title, this);
  }
}

/** The commands of the view and the palette. Those that resolve to IDs want one of these conversations to be selected. */
const historyCommands: {
  readonly [N in CommandName<"history">]: (
    history: History,
    id?: string,
  ) => Promise<readonly string[] | void>;
} = {
  openConversation: (history, id) => history.open(id),
  renameConversation: (history, id) => history.rename(id),
  pinConversation: (history, id) => history.pin(id, true),
  unpinConversation: (history, id) => history.pin(id, false),
  tagConversation: (history, id) => history.tag(id),
  groupConversationsBy: (history) => history.group(),
  deleteConversation: (history, id) => history.delete(id),
  exportConversation: (history, id) => history.export(id),
  exportAllConversations: (history) => history.exportAll(),
  importConversations: (history) => history.import(),
  checkConversationStorage: (history) => history.checkStorage(),
};

/**
 * Runs a command on the conversation of a row or, from the palette, on one that it asks for. Returns the conversations
 * that it has changed.
 */
export async function runHistoryCommand(
  name: CommandName<"history">,
  history: History,
  view: vscode.TreeView<HistoryNode>,
  called: readonly unknown[],
): Promise<readonly string[]> {
  const [clicked] = called;
  const isLost = hasLostRow(name, called);
  const id = isLost
    ? (await history.pick(lostRowTitle()))?.id
    : conversationIdOf(clicked === "focused" ? await history.focused(view) : clicked);
  // A key pressed in the tree applies to the focused row, and does nothing if that is a group.
  if (id === undefined && (isLost || clicked === "focused")) return [];
  return (await historyCommands[name](history, id)) ?? [];
}
