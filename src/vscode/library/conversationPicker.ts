import * as vscode from "vscode";
import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import type { ConversationSearch, ConversationStore } from "../../core/conversation/conversationStore.ts";
import { formatListedTime } from "./formatListedTime.ts";
import { listedTitle, pickedText, searchTitle } from "../../core/library/history/conversationGroups.ts";
import type { MessageHit, SearchExtent, SearchHit } from "../../core/conversation/searchResult.ts";
import { parseSearchQuery, parseSearchTerms } from "../../core/conversation/searchTerms.ts";
import { inertItem } from "../shell/window.ts";

/** What the user chose in the picker, and where to scroll to. */
export interface PickedConversation {
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
  readonly tags: readonly string[];
}

/** Milliseconds before a search is repeated while messages are being indexed. */
const indexingLookMs = 500;

/** Maximum number of conversations shown. The title indicates if there are more. */
const mostRecent = 200;

type SearchedStore = ConversationStore & ConversationSearch;

/**
 * Asks for a conversation: first the recent ones, then with every letter typed those with matching titles or messages.
 */
export async function pickConversation(
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
    showItems(picker, items);
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

/** Updates the rows if they have changed. The row that the user has moved to stays active. */
function showItems(picker: vscode.QuickPick<Item>, rows: readonly Item[]): void {
  const key = (list: readonly Item[]): string =>
    JSON.stringify(
      list.map(({ choice, label, detail, isPinned, tags }) => [choice, label, detail, isPinned, tags]),
    );
  if (key(rows.map(inertItem)) === key(picker.items)) return;
  const active = picker.activeItems[0]?.choice;
  picker.items = rows.map(inertItem);
  const again = picker.items.find(
    ({ choice }) => choice.id === active?.id && choice.messageId === active.messageId,
  );
  if (again !== undefined) picker.activeItems = [again];
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
    description: [formatListedTime(updatedAt), ...tags.map((tag) => `#${pickedText(tag)}`)].join(" "),
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
    tags,
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
