import * as vscode from "vscode";
import { commandIds } from "../../shell/commandIds.ts";
import type { StepName } from "./commandChoices.ts";

const commands: Readonly<Record<StepName, string>> = {
  clear: commandIds.newChat,
  model: commandIds.selectModel,
  system: commandIds.editSystemPrompt,
};

/** Does what a command of the palette does too: the panel in which `/` is written is the active one. */
export function runStep(name: StepName): void {
  void vscode.commands.executeCommand(commands[name]);
}
