import * as vscode from "vscode";
import { parseTags, sortTags, typedTags } from "../../core/conversation/conversationTags.ts";
import {
  conversationGroupingLabel,
  conversationGroupings,
  pickedText,
} from "../../core/library/history/conversationGroups.ts";
import type { ConversationGrouping } from "../../core/library/history/conversationGroups.ts";
import { inertItem, showQuickPick } from "../shell/window.ts";

interface TagItem extends vscode.QuickPickItem {
  readonly tag: string;
}

/**
 * Lets the user select among all tags, or type new ones. Resolves to undefined if the user cancels.
 * @param known The tags of all conversations.
 */
export async function askForTags(
  title: string,
  current: readonly string[],
  known: readonly string[],
): Promise<readonly string[] | undefined> {
  const picker = vscode.window.createQuickPick<TagItem>();
  picker.title = title;
  picker.canSelectMany = true;
  let all = sortTags([...new Set([...current, ...known])]);
  let selected = new Set(current);
  const show = (): void => {
    const typed = typedTags(picker.value, all).filter((tag) => !all.includes(tag));
    // Along with the new items, VS Code selects only those that are marked as picked.
    const itemOf = (tag: string): TagItem => ({ label: pickedText(tag), picked: selected.has(tag), tag });
    const description = vscode.l10n.t("New tag. Select it or press Enter.");
    const added = typed.map((tag) => ({ ...itemOf(tag), description, alwaysShow: true }));
    picker.items = [...added, ...all.map(itemOf)].map(inertItem);
    picker.selectedItems = picker.items.filter(({ tag }) => selected.has(tag));
  };
  picker.placeholder =
    all.length === 0 ? vscode.l10n.t("Enter a tag") : vscode.l10n.t("Select tags, or enter a new one");
  show();
  /**
   * The selection when a letter was last typed. If it differs when the user accepts, the letters were only a filter. VS
   * Code also reports selections that only result from new items, so a report alone doesn't mean that a row was
   * clicked.
   */
  let before: ReadonlySet<string> = selected;
  const isAccepted = await new Promise<boolean>((resolve) => {
    picker.onDidChangeValue(() => {
      before = selected;
      show();
    });
    picker.onDidChangeSelection((items) => {
      const shown = new Set(picker.items.map(({ tag }) => tag));
      const picked = items.map(({ tag }) => tag);
      selected = new Set([...[...selected].filter((tag) => !shown.has(tag)), ...picked]);
      all = sortTags([...new Set([...all, ...picked])]);
    });
    picker.onDidAccept(() => {
      // Enter accepts a tag that was typed, so that adding a tag takes one line.
      const isFilter = selected.size !== before.size || [...selected].some((tag) => !before.has(tag));
      for (const tag of isFilter ? [] : typedTags(picker.value, all)) selected.add(tag);
      resolve(true);
    });
    picker.onDidHide(() => resolve(false));
    picker.show();
  });
  picker.dispose();
  return isAccepted ? parseTags([...selected]) : undefined;
}

/** Asks what the list is grouped by; undefined if the user cancels. */
export async function askForGrouping(
  current: ConversationGrouping,
): Promise<ConversationGrouping | undefined> {
  const items = conversationGroupings.map((grouping) => ({
    label: conversationGroupingLabel(grouping),
    description: grouping === current ? vscode.l10n.t("current") : "",
    grouping,
  }));
  const placeHolder = vscode.l10n.t("Group conversations by");
  return (await showQuickPick(items, { placeHolder }))?.grouping;
}
