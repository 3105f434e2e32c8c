import assert from "node:assert/strict";
import { isRecord, recordsIn } from "../../../src/core/kernel/json.ts";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";
import { commandMenus, requiredServerFact } from "../../../src/vscode/shell/commandMenus.ts";
import { at, declared, manifest } from "../../support/manifest.ts";

const menus = at(manifest, "contributes", "menus");
const hidden = recordsIn(at(menus, "commandPalette")).filter(({ when }) => when === "false");

/** The replacement for commands that are only in the palette: a row in a picker that isn't a command of its own. */
const takenOver: Readonly<Record<string, string>> = {
  [commandIds.useAsResponseFormat]: "Set Response Format…, JSON Schema in FILE",
};

/** The server fact that a menu entry requires, for a row of either the tree or the table. */
function factOf(when: unknown): string | undefined {
  return /viewItem =~ \/(?:\\\.)?(\w+)\//.exec(String(when))?.[1];
}

describe("The Command Palette", () => {
  it("has at most 24 commands that are always useful", () => {
    const { stop, acceptProposal, rejectProposal, removeSshHosts, stopLocalGateway } = commandIds;
    // Starting and stopping the local gateway share a row.
    const sometimes = [stop, acceptProposal, rejectProposal, removeSshHosts, stopLocalGateway];
    const rows = declared.length - hidden.length - sometimes.length;
    assert.ok(rows <= 24, `${rows} rows`);
  });

  it("has at most 18 rows in the picker for the chat", () => {
    assert.ok(commandMenus.chatActions.flat().length <= 18);
  });

  it("hides only commands that are offered elsewhere", () => {
    assert.ok(isRecord(menus));
    const others = Object.entries(menus).filter(([menu]) => menu !== "commandPalette");
    const offered = new Set<unknown>([
      ...others.flatMap(([, entries]) => recordsIn(entries).map(({ command }) => command)),
      ...Object.values(commandMenus).flat(2),
      ...Object.keys(takenOver),
    ]);
    for (const { command } of hidden) assert.ok(offered.has(command), String(command));
  });

  it("offers to stop only while something runs, and the pickers never do", () => {
    const entries = recordsIn(at(menus, "commandPalette"));
    const stop = entries.find(({ command }) => command === commandIds.stop);
    const running = ["chat.streaming", "isEditing", "isWritingCommitMessage"];
    assert.equal(stop?.["when"], running.map((key) => `inferenceGateway.${key}`).join(" || "));
    const offered: readonly string[] = Object.values(commandMenus).flat(2);
    assert.ok(!offered.includes(commandIds.stop));
  });

  it("contains every picker that offers hidden commands", () => {
    const hiddenIds = new Set<unknown>(hidden.map(({ command }) => command));
    for (const name of Object.keys(commandMenus)) {
      assert.ok(isKey(commandIds, name));
      assert.ok(!hiddenIds.has(commandIds[name]), name);
    }
  });

  it("offers by keyboard what a server's menu offers, if it applies to the server", () => {
    const ofRow = [
      ...recordsIn(at(menus, "view/item/context")).filter(
        ({ when, group }) =>
          String(when).startsWith("view == inferenceGateway.servers ") &&
          !/\^(?:profile|job)|viewItem == (?:port|gpu)/.test(String(when)) &&
          !String(group).startsWith("inline"),
      ),
      ...recordsIn(at(menus, "inferenceGateway.serverRecord")),
    ].filter(({ command }) => command !== undefined);
    const inMenus = ofRow.map(({ command, when }) => {
      const fact = factOf(when);
      return `${String(command)} ${fact === undefined || fact === "server" ? "" : fact}`;
    });
    const inPicker = commandMenus.serverActions.flat().map((id) => `${id} ${requiredServerFact[id] ?? ""}`);
    const plain = (line: string): string => line.replace(" undefined", " ");
    assert.deepEqual(inPicker.toSorted(), inMenus.map(plain).toSorted());
  });
});

describe("Menus", () => {
  it("have at most eleven entries at their first level, and those of servers one click to all that is done there", () => {
    const views = ["servers", "conversations", "chatView"].map((view) => `inferenceGateway.${view}`);
    const places = ["view/item/context", "view/title", "webview/context"].flatMap((menu) =>
      [...views, "inferenceGateway.serverTable", "inferenceGateway\\.chat"].map((place) => ({
        name: `${menu} of ${place}`,
        entries: recordsIn(at(menus, menu)).filter(
          ({ when, group }) =>
            String(when).includes(place) &&
            // What isn't a server has its own menu.
            !/\^(?:profile|job)|viewItem == (?:port|gpu)/.test(String(when)) &&
            !/^(?:inline|navigation)/.test(String(group)),
        ),
      })),
    );
    for (const { name, entries } of places) {
      // Of two commands in the same place, such as Pin and Unpin, only one is shown.
      const shown = new Set(entries.map(({ group }) => group));
      const most = /context of .*\.server(?:s|Table)$/.test(name) ? 17 : 11;
      assert.ok(shown.size <= most, `${name}: ${shown.size}`);
    }
  });

  it("contain only submenus that exist and have entries", () => {
    assert.ok(isRecord(menus));
    const known = new Set(recordsIn(at(manifest, "contributes", "submenus")).map(({ id }) => id));
    const used = new Set(
      Object.values(menus).flatMap((entries) => recordsIn(entries).flatMap(({ submenu }) => submenu ?? [])),
    );
    assert.deepEqual([...used].toSorted(), [...known].toSorted());
    for (const id of known) assert.ok(recordsIn(menus[String(id)]).length > 0, String(id));
  });
});

function isKey<T extends object>(value: T, key: string): key is Extract<keyof T, string> {
  return Object.hasOwn(value, key);
}
