import * as vscode from "vscode";
import { readShellCommand } from "../../../core/responses/code/shellCommand.ts";
import { offerNewFile } from "./insertCode.ts";
import { showWarningMessage } from "../../shell/window.ts";

/** Runs the commands of a block after the user has seen all of them and agreed; nothing reaches a shell before. */
export async function runInTerminal(code: string, language: string): Promise<void> {
  const command = readShellCommand(code, language);
  if (command.state !== "ready") {
    await offerNewFile(reasonOf(command.state), code, language);
    return;
  }
  const active = vscode.window.activeTerminal;
  const inNew = vscode.l10n.t("Run in New Terminal");
  const inActive = active === undefined ? undefined : vscode.l10n.t("Run in “{0}”", active.name);
  const question =
    command.lines === 1
      ? vscode.l10n.t("Run this command?")
      : vscode.l10n.t("Run these {0} lines in order?", command.lines);
  const buttons = inActive === undefined ? [inNew] : [inNew, inActive];
  const options = { modal: true, detail: command.text };
  const answer = await showWarningMessage(question, options, ...buttons);
  if (answer === undefined) return;
  const terminal = answer === inNew ? vscode.window.createTerminal() : active;
  terminal?.show();
  terminal?.sendText(command.text);
}

function reasonOf(state: "empty" | "tooLong" | "hidden" | "noShell"): string {
  switch (state) {
    case "empty":
      return vscode.l10n.t("There is no command in this block.");
    case "noShell":
      return vscode.l10n.t("This block isn't a shell command.");
    case "tooLong":
      return vscode.l10n.t("This is too long to review here. Open it as a file and run it from there.");
    case "hidden":
      return vscode.l10n.t(
        "This block contains invisible characters and may run something other than what it shows.",
      );
  }
}
