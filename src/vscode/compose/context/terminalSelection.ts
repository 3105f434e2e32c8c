import * as vscode from "vscode";
import { terminalPart } from "../../../core/compose/context/contextPart.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { refusal } from "./choice.ts";

/**
 * What is selected in the terminal. VS Code tells it to the clipboard only: what was there before is put back. Text that
 * no selection is equal to is put there first, so that it shows whether anything was copied.
 */
export async function attachTerminalSelection(): Promise<Composition> {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return refusal(vscode.l10n.t("No terminal is open."));
  // "Select All" takes the empty rows below the prompt along.
  const text = (await copySelection()).trimEnd();
  if (text === "") return refusal(vscode.l10n.t("Nothing is selected in the terminal {0}.", terminal.name));
  return { text: "", parts: [terminalPart(terminal.name, text)] };
}

async function copySelection(): Promise<string> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  // A clipboard without text may hold a picture: it is left alone until something is copied.
  const marker = before === "" ? "" : `${before.slice(0, 8)}\u2060${Date.now()}`;
  try {
    if (marker !== "") await clipboard.writeText(marker);
    await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
    const after = await clipboard.readText();
    return after === marker ? "" : after;
  } finally {
    if (before !== "") await clipboard.writeText(before);
  }
}
