import * as vscode from "vscode";
import { inertItem } from "./window.ts";

/** The item that was picked, and the button if one of its buttons was used. */
interface PickedItem<T extends vscode.QuickPickItem> {
  readonly item: T;
  readonly button?: vscode.QuickInputButton;
}

interface PickOptions {
  readonly title: string;
  readonly placeholder: string;
}

/** Like VS Code's `showQuickPick`, for items with buttons. Undefined if the user cancels. */
export function pickItem<T extends vscode.QuickPickItem>(
  items: readonly T[],
  { title, placeholder }: PickOptions,
): Promise<PickedItem<T> | undefined> {
  const pick = vscode.window.createQuickPick<T>();
  pick.title = title;
  pick.placeholder = placeholder;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.items = items.map(inertItem);
  return new Promise((resolve) => {
    const finish = (picked: PickedItem<T> | undefined): void => {
      resolve(picked);
      pick.hide();
    };
    pick.onDidAccept(() => {
      const item = pick.activeItems[0] ?? pick.selectedItems[0];
      if (item !== undefined) finish({ item });
    });
    pick.onDidTriggerItemButton(({ item, button }) => finish({ item, button }));
    pick.onDidHide(() => {
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/**
 * Shows other items in a picker that may be open. The one that the user has moved to stays active, and nothing changes
 * if they look the same: VS Code would make the first one active, and forget where the list was scrolled to.
 *
 * @param keyOf Text that identifies an item, whatever it shows.
 */
export function replaceItems<T extends vscode.QuickPickItem>(
  pick: vscode.QuickPick<T>,
  items: readonly T[],
  keyOf: (item: T) => string,
): void {
  const looks = (list: readonly T[]): string =>
    JSON.stringify(
      list.map((item) => {
        const { label, description, detail, buttons = [] } = item;
        return [keyOf(item), label, description, detail, buttons.map(({ tooltip }) => tooltip)];
      }),
    );
  if (looks(items.map(inertItem)) === looks(pick.items)) return;
  const [active] = pick.activeItems;
  pick.items = items.map(inertItem);
  const again = active && pick.items.find((item) => keyOf(item) === keyOf(active));
  pick.keepScrollPosition = again !== undefined;
  if (again !== undefined) pick.activeItems = [again];
}

/** The title of a list from which the user selects the row whose menu was open when the row was replaced. */
export function lostRowTitle(): string {
  return vscode.l10n.t("The list changed while the menu was open. Select the row again.");
}
