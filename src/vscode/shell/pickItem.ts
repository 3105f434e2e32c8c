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
