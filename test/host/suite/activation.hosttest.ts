import assert from "node:assert/strict";
import * as vscode from "vscode";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";

const extension = vscode.extensions.getExtension("inference-gateway.inference-gateway");

describe("The extension in the extension host", () => {
  it("is installed and activates", async () => {
    assert.ok(extension);
    await extension.activate();
    assert.equal(extension.isActive, true);
  });

  it("registers every command that it declares", async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    for (const id of Object.values(commandIds)) assert.ok(registered.has(id), id);
  });
});
