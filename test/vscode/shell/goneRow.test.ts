import assert from "node:assert/strict";
import type * as vscode from "vscode";
import { recordsIn, stringField } from "../../../src/core/kernel/json.ts";
import type { JobRow, ServerRow, TreeRow } from "../../../src/core/servers/tree/rows.ts";
import type * as HistoryModule from "../../../src/vscode/library/history.ts";
import type { HistoryNode } from "../../../src/vscode/library/historyNode.ts";
import type { ServerTreeRows } from "../../../src/core/servers/tree/serverTreeRows.ts";
import type * as ChooseModule from "../../../src/vscode/servers/chooseServer.ts";
import type { CalledOn } from "../../../src/vscode/servers/chooseServer.ts";
import { commandIds, commandNames } from "../../../src/vscode/shell/commandIds.ts";
import { titleCommands } from "../../../src/vscode/shell/commandMenus.ts";
import { at, manifest } from "../../support/manifest.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";

/** VS Code passes nothing for a row that was replaced while its menu was open, and the selected rows. */
describe("A command of a row that was replaced while its menu was open", () => {
  let calledRow: typeof ChooseModule.calledRow;
  let runHistoryCommand: typeof HistoryModule.runHistoryCommand;
  const row = { kind: "server", id: "a" } as ServerRow;
  const job = { kind: "job", id: "b" } as JobRow;
  const serversView = {
    rows: {
      serverRows: [row],
      rowOf: (id: string) => (id === row.id ? row : undefined),
    } as unknown as ServerTreeRows,
    childrenOf: () => [job],
    createItem: ({ id }: TreeRow) => ({ label: `Row ${id}`, description: "running" }),
  };
  const call = (...called: CalledOn): Promise<unknown> => calledRow(serversView, "stopServer", called);
  let offered: readonly string[] = [];

  before(async () => {
    installFakeVscode();
    ({ calledRow } = await import("../../../src/vscode/servers/chooseServer.ts"));
    ({ runHistoryCommand } = await import("../../../src/vscode/library/history.ts"));
  });
  beforeEach(() => {
    offered = [];
    fakeWindow.pick = (items) => {
      offered = items.map(({ label }) => label);
      return items.slice(1);
    };
  });
  after(() => void (fakeWindow.pick = () => undefined));

  it("applies to the row that the user selects again, not to the selected one", async () => {
    const lost: readonly CalledOn[] = [[undefined, undefined], [null, [row]], [{ serverRow: "removed" }]];
    for (const called of lost) {
      assert.equal(await call(...called), job);
      assert.deepEqual(offered, ["Row a", "Row b"]);
    }
    fakeWindow.pick = () => undefined;
    assert.equal(await call(undefined, undefined), "none");
  });

  it("applies to its row while that exists, and asks for none when it comes from the palette", async () => {
    assert.equal(await call(row, undefined), row);
    assert.equal(await call({ serverRow: "a" }), row);
    assert.equal(await call(), undefined);
    // The title of a view passes the focused row, if there is one.
    assert.equal(await calledRow(serversView, "refreshServers", [undefined, undefined]), undefined);
    assert.deepEqual(offered, []);
  });

  it("doesn't delete the conversation of the active chat", async () => {
    const deleted: unknown[] = [];
    let picked: { readonly id: string } | undefined = { id: "picked" };
    const history = {
      delete: (id: unknown) => Promise.resolve(void deleted.push(id)),
      pick: () => Promise.resolve(picked),
    } as unknown as HistoryModule.History;
    const view = {} as vscode.TreeView<HistoryNode>;
    const remove = (...called: readonly unknown[]): Promise<unknown> =>
      runHistoryCommand("deleteConversation", history, view, called);
    await remove(undefined, undefined);
    picked = undefined;
    await remove(undefined, undefined);
    await remove({ kind: "conversation", conversation: { id: "a" } }, undefined);
    await remove();
    assert.deepEqual(deleted, ["picked", "a", undefined]);
  });

  it("runs from the title of a view, if package.json has it there, whether or not a row is focused", () => {
    const menus = ["view/title", "inferenceGateway.arrange"].flatMap((menu) =>
      recordsIn(at(manifest, "contributes", "menus", menu)),
    );
    const inTitle = new Set(menus.map((entry) => stringField(entry, "command")));
    const ofRows = (["history", "serverActions", "power"] as const).flatMap((part) => commandNames(part));
    const expected = ofRows.filter((name) => inTitle.has(commandIds[name]));
    assert.deepEqual([...titleCommands].toSorted(), expected.toSorted());
  });
});
