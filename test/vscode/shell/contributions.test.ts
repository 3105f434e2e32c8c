import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { chatViewTypes } from "../../../src/vscode/panel/chatViewType.ts";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";
import { tableViewType } from "../../../src/vscode/servers/table/tableViewType.ts";

const manifest: unknown = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8"));

function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => (isRecord(inner) ? inner[name] : undefined), value);
}

function records(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

const declared = records(at(manifest, "contributes", "commands"));

describe("package.json and the code", () => {
  it("declare the same commands", () => {
    assert.deepEqual(
      declared.map((command) => command["command"]).toSorted(),
      Object.values(commandIds).toSorted(),
    );
  });

  it("give every command a title under our category", () => {
    for (const command of declared) {
      assert.equal(command["category"], "Inference Gateway", String(command["command"]));
      assert.equal(typeof command["title"], "string");
    }
  });

  it("bind keys in our own tree alone, so that none is stolen", () => {
    const bindings = records(at(manifest, "contributes", "keybindings"));
    assert.deepEqual(
      bindings.map(({ key }) => key),
      ["f2", "delete"],
    );
    for (const { when } of bindings) {
      assert.match(
        String(when),
        /^focusedView == inferenceGateway\.conversations && listFocus && !inputFocus$/,
      );
    }
  });

  it("activate on nothing but the panel's return", () => {
    assert.deepEqual(
      at(manifest, "activationEvents"),
      [...chatViewTypes, tableViewType].map((viewType) => `onWebviewPanel:${viewType}`),
    );
  });

  it("offer for a server of the table what they offer for one of the tree", () => {
    const offered = (menu: string, place: string): readonly unknown[] =>
      records(at(manifest, "contributes", "menus", menu))
        .filter(({ when, group }) => String(when).startsWith(place) && !String(group).startsWith("inline"))
        .filter(({ when }) => !String(when).includes("^profile"))
        .map(({ command, group }) => `${String(command)} ${String(group)}`)
        .toSorted();
    assert.deepEqual(
      offered("webview/context", `webviewId == '${tableViewType}'`),
      offered("view/item/context", "view == inferenceGateway.servers "),
    );
  });

  it("know a chat by each of its types", () => {
    assert.doesNotMatch(JSON.stringify(manifest), /activeWebviewPanelId ==/);
  });

  it("let no workspace decide where credentials go", () => {
    const properties = at(manifest, "contributes", "configuration", "properties");
    assert.ok(isRecord(properties));
    for (const [name, property] of Object.entries(properties)) {
      assert.equal(at(property, "scope"), "application", name);
    }
  });

  it("use only commands in menus that exist", () => {
    const known = new Set<unknown>(Object.values(commandIds));
    const menus = at(manifest, "contributes", "menus");
    assert.ok(isRecord(menus));
    for (const entries of Object.values(menus)) {
      for (const { command, submenu } of records(entries))
        assert.ok(known.has(command) || typeof submenu === "string", String(command));
    }
  });
});
