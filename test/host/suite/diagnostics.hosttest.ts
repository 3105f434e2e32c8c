import assert from "node:assert/strict";
import * as vscode from "vscode";
import { commandIds } from "../../../src/vscode/shell/commandIds.ts";
import { activateExtension } from "./support/extensionContext.ts";

const canary = "CANARY-b41c9d77e2";

describe("Copy Diagnostics in VS Code", () => {
  const configuration = (): vscode.WorkspaceConfiguration =>
    vscode.workspace.getConfiguration("inferenceGateway");
  const { Global } = vscode.ConfigurationTarget;
  const changed = ["profiles", "maxAttempts", "chat.presets", "chat.promptFolder"] as const;

  before(async () => {
    await activateExtension();
    const headers = { "X-Team": canary };
    const profile = { name: canary, inferenceBaseUrl: `https://${canary}.example/v1`, headers };
    await configuration().update("profiles", [profile], Global);
    await configuration().update("maxAttempts", 7, Global);
    await configuration().update("chat.presets", { [canary]: { systemPrompt: canary } }, Global);
    await configuration().update("chat.promptFolder", `/home/${canary}`, Global);
  });

  after(async () => {
    for (const name of changed) await configuration().update(name, undefined, Global);
  });

  it("copies versions, settings and the log to the clipboard, and no personal data", async () => {
    await vscode.env.clipboard.writeText("before");
    await vscode.commands.executeCommand(commandIds.copyDiagnostics);
    const text = await vscode.env.clipboard.readText();
    assert.match(text, /Inference Gateway \d+\.\d+\.\d+/);
    assert.ok(text.includes(vscode.version));
    assert.match(text, /inferenceGateway\.maxAttempts: 7/);
    assert.match(text, /inferenceGateway\.profiles: \(1 entries\)/);
    assert.match(text, /End of the log \(\d+ lines\)/);
    assert.ok(!text.includes(canary), text);
  });

  it("is registered, like every other command in package.json", async () => {
    const all = await vscode.commands.getCommands(true);
    for (const id of Object.values(commandIds)) assert.ok(all.includes(id), id);
  });
});
