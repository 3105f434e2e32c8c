import * as vscode from "vscode";
import { findKinds, parseContextQuery } from "../../../core/compose/context/contextKinds.ts";
import type { KindView } from "../../../core/compose/context/contextKinds.ts";
import { attachFiles, attachSelection, linesOf, nothingSelected } from "./attachFiles.ts";
import type { FleetView } from "../../servers/fleetView.ts";
import { openTexts } from "../../shell/lastEditor.ts";
import type { Choice } from "./choice.ts";
import { fileChoices, folderChoices } from "./fileChoices.ts";
import { gitChoices } from "./gitChoices.ts";
import { problemChoices } from "./problemChoices.ts";
import { serverChoices } from "./serverChoices.ts";
import { symbolChoices } from "./symbolChoices.ts";
import { attachTerminalSelection } from "./terminalSelection.ts";

/** What `#` offers for what stands behind it: the kinds that fit, then files; or one kind alone. */
export async function contextChoices(
  query: string,
  editor: vscode.TextEditor | undefined,
  token: vscode.CancellationToken,
  servers: () => Promise<FleetView>,
): Promise<readonly Choice[]> {
  const { kind, text } = parseContextQuery(query);
  if (kind === "file") return fileChoices(text, token);
  if (kind === "folder") return folderChoices(text, token);
  if (kind === "symbol") return symbolChoices(text, editor?.document);
  if (kind === "server") return serverChoices(text, await servers());
  const rows = findKinds(text).map((view) => kindChoices(view, editor));
  const [kinds, files] = await Promise.all([Promise.all(rows), fileChoices(text, token)]);
  return [...kinds.flat(), ...files];
}

async function kindChoices(
  view: KindView,
  editor: vscode.TextEditor | undefined,
): Promise<readonly Choice[]> {
  const { kind, label, icon } = view;
  switch (kind) {
    case "file":
    case "folder":
    case "symbol":
    case "server":
      return [{ suggestion: { label, detail: `#${kind}:`, icon, narrowsTo: `${kind}:` } }];
    case "selection":
      return [selectionChoice(view, editor)];
    case "editors":
      return [openEditorsChoice(view)];
    case "problems":
      return problemChoices(editor?.document, label);
    case "terminal":
      return [terminalChoice(view)];
    case "changes":
      return await gitChoices(label);
  }
}

function selectionChoice({ label, icon }: KindView, editor: vscode.TextEditor | undefined): Choice {
  if (editor === undefined) return unavailable(label, icon, vscode.l10n.t("No text editor is open."));
  const { document, selection } = editor;
  if (selection.isEmpty) return unavailable(label, icon, nothingSelected(document));
  const { first, last } = linesOf(selection);
  const path = vscode.workspace.asRelativePath(document.uri);
  const detail = first === last ? `${path}:${first}` : `${path}:${first}-${last}`;
  return { suggestion: { label, detail, icon }, pick: () => attachSelection(editor) };
}

function openEditorsChoice({ label, icon }: KindView): Choice {
  const uris = openTexts().map(({ uri }) => uri);
  if (uris.length === 0) return unavailable(label, icon, vscode.l10n.t("No text editor is open."));
  const detail = uris.length === 1 ? vscode.l10n.t("1 file") : vscode.l10n.t("{0} files", uris.length);
  return { suggestion: { label, detail, icon }, pick: () => attachFiles(uris, "page") };
}

function terminalChoice({ label, icon }: KindView): Choice {
  const terminal = vscode.window.activeTerminal;
  if (terminal === undefined) return unavailable(label, icon, vscode.l10n.t("No terminal is open."));
  return { suggestion: { label, detail: terminal.name, icon }, pick: attachTerminalSelection };
}

function unavailable(label: string, icon: string, detail: string): Choice {
  return { suggestion: { label, detail, icon, isUnavailable: true } };
}
