import assert from "node:assert/strict";
import type * as vscode from "vscode";
import type * as Module from "../../../src/vscode/shell/pickItem.ts";
import { installFakeVscode } from "../../support/fakeVscode.ts";

interface ServerItem extends vscode.QuickPickItem {
  readonly id: string;
}

/** VS Code makes the first item active whenever the items are set. */
class FakePick {
  activeItems: readonly ServerItem[] = [];
  keepScrollPosition = false;
  sets = 0;
  #items: readonly ServerItem[] = [];

  get items(): readonly ServerItem[] {
    return this.#items;
  }

  set items(items: readonly ServerItem[]) {
    this.#items = items;
    this.activeItems = items.slice(0, 1);
    this.sets++;
  }
}

describe("A list of running servers that is refreshed while it is open", () => {
  let replaceItems: typeof Module.replaceItems;
  let pick: FakePick;
  const servers = (use: string, ...ids: readonly string[]): readonly ServerItem[] =>
    ids.map((id) => ({ id, label: `trainer-${id}`, description: use }));
  const refresh = (items: readonly ServerItem[]): void =>
    replaceItems(pick as unknown as vscode.QuickPick<ServerItem>, items, ({ id }) => id);
  const active = (): readonly string[] => pick.activeItems.map(({ id }) => id);

  before(async () => {
    installFakeVscode();
    ({ replaceItems } = await import("../../../src/vscode/shell/pickItem.ts"));
  });
  beforeEach(() => {
    pick = new FakePick();
    refresh(servers("GPU 80%", "01", "02", "03"));
  });

  it("keeps the server active that the user has moved to, so that Enter doesn't apply to another one", () => {
    pick.activeItems = pick.items.slice(1, 2);
    refresh(servers("GPU 75%", "01", "02", "03"));
    assert.deepEqual([active(), pick.keepScrollPosition], [["02"], true]);
    refresh(servers("GPU 75%", "00", "01", "02"));
    assert.deepEqual(active(), ["02"]);
  });

  it("isn't touched if nothing looks different", () => {
    refresh(servers("GPU 80%", "01", "02", "03"));
    assert.equal(pick.sets, 1);
  });

  it("starts at the top again once the active server is gone", () => {
    pick.activeItems = pick.items.slice(2);
    refresh(servers("GPU 80%", "01", "02"));
    assert.deepEqual([active(), pick.keepScrollPosition], [["01"], false]);
  });
});
