import * as vscode from "vscode";
import { commandIds } from "../../shell/commandIds.ts";
import type { StepName } from "./commandChoices.ts";

const commands: Readonly<Record<StepName, string>> = {
  clear: commandIds.newChat,
  model: commandIds.selectModel,
  system: commandIds.editSystemPrompt,
};

/** Does the same as a palette command. The panel in which `/` is typed is the active one. */
export function runStep(name: StepName): void {
  void vscode.commands.executeCommand(commands[name]);
}
