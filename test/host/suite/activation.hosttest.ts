import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";
import * as vscode from "vscode";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";

const extension = vscode.extensions.getExtension("inference-gateway.inference-gateway");

describe("The extension in the extension host", () => {
  before(async () => {
    await extension?.activate();
  });

  it("is installed and activates", () => {
    assert.equal(extension?.isActive, true);
  });

  it("registers every command that it declares", async () => {
    const registered = new Set(await vscode.commands.getCommands(true));
    for (const id of Object.values(commandIds)) assert.ok(registered.has(id), id);
  });

  it("can load every part that it loads on demand", () => {
    assert.ok(extension);
    const load = createRequire(join(extension.extensionPath, "dist", "extension.cjs"));
    const parts = Object.values<() => object>(load("./rest.cjs"));
    assert.ok(parts.length > 40);
    for (const run of parts) assert.equal(typeof run(), "object", run.toString());
  });
});
