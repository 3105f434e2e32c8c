import assert from "node:assert/strict";
import type * as vscode from "vscode";
import type { ServerRow } from "../../../src/core/servers/tree/rows.ts";
import type * as HistoryModule from "../../../src/vscode/library/history.ts";
import type { HistoryNode } from "../../../src/vscode/library/historyNode.ts";
import type * as ChooseModule from "../../../src/vscode/servers/chooseServer.ts";
import { fakeWindow, installFakeVscode } from "../../support/fakeVscode.ts";

const said = "The list changed while the menu was open. Run the command from the row again.";

/** VS Code passes nothing for a row that was replaced while its menu was open, and the selected rows. */
describe("A command of a row that was replaced while its menu was open", () => {
  let calledRow: typeof ChooseModule.calledRow;
  let runHistoryCommand: typeof HistoryModule.runHistoryCommand;
  const row = { kind: "server", id: "a" } as ServerRow;
  const serversView = { rowOf: (id: string) => (id === row.id ? row : undefined) };
  const messages = (): readonly string[] => fakeWindow.shown.map(({ message }) => message);

  before(async () => {
    installFakeVscode();
    ({ calledRow } = await import("../../../src/vscode/servers/chooseServer.ts"));
    ({ runHistoryCommand } = await import("../../../src/vscode/library/history.ts"));
  });
  beforeEach(() => void (fakeWindow.shown.length = 0));

  it("doesn't apply to the selected server, and the user is told", () => {
    assert.equal(calledRow(serversView, [undefined, undefined]), "gone");
    assert.equal(calledRow(serversView, [null, [row]]), "gone");
    assert.equal(calledRow(serversView, [{ serverRow: "removed" }]), "gone");
    assert.deepEqual(messages(), [said, said, said]);
  });

  it("applies to its row while that exists, and from the palette to the server that the user selects", () => {
    assert.equal(calledRow(serversView, [row, undefined]), row);
    assert.equal(calledRow(serversView, [{ serverRow: "a" }]), row);
    assert.equal(calledRow(serversView, []), undefined);
    // The title of a view passes the focused row, if there is one.
    assert.equal(calledRow(serversView, [null]), undefined);
    assert.deepEqual(messages(), []);
  });

  it("doesn't delete the conversation of the active chat", async () => {
    const deleted: unknown[] = [];
    const history = {
      delete: (id: unknown) => Promise.resolve(void deleted.push(id)),
    } as unknown as HistoryModule.History;
    const view = {} as vscode.TreeView<HistoryNode>;
    const remove = (...called: readonly unknown[]): Promise<unknown> =>
      runHistoryCommand("deleteConversation", history, view, called);
    await remove(undefined, undefined);
    assert.deepEqual([deleted, messages()], [[], [said]]);
    await remove({ kind: "conversation", conversation: { id: "a" } }, undefined);
    await remove();
    assert.deepEqual(deleted, ["a", undefined]);
  });
});
