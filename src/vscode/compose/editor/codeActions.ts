import * as vscode from "vscode";
import { commandIds } from "../../shell/commandIds.ts";

const { QuickFix, RefactorRewrite } = vscode.CodeActionKind;

/**
 * The actions in the light bulb: a fix for problems, and the rest in the menu for a selection. A cursor without a
 * problem or a selection gets none.
 */
export function provideCodeActions(
  { uri }: vscode.TextDocument,
  range: vscode.Range,
  { diagnostics, only, triggerKind }: vscode.CodeActionContext,
): vscode.CodeAction[] {
  const action = (title: string, kind: vscode.CodeActionKind, command: string): vscode.CodeAction => ({
    title,
    kind,
    command: { title, command, arguments: [{ uri, range }] },
  });
  const isWanted = (kind: vscode.CodeActionKind): boolean => only === undefined || only.contains(kind);
  const isWritable =
    uri.scheme === "untitled" ||
    vscode.workspace.fs.isWritableFileSystem(uri.scheme) === true ||
    uri.scheme === "vscode-notebook-cell";
  if (!isWritable) return [];
  const found: vscode.CodeAction[] = [];
  if (diagnostics.length > 0 && isWanted(QuickFix)) {
    const fix = action(vscode.l10n.t("Fix with Inference Gateway"), QuickFix, commandIds.fixCode);
    fix.diagnostics = [...diagnostics];
    found.push(fix);
  }
  // An automatic light bulb for every selection would only distract.
  const isAsked = triggerKind === vscode.CodeActionTriggerKind.Invoke;
  if (!range.isEmpty && isAsked && isWanted(RefactorRewrite)) {
    const rewrite = (title: string, command: string): vscode.CodeAction =>
      action(title, RefactorRewrite, command);
    found.push(
      rewrite(vscode.l10n.t("Edit with Inference Gateway…"), commandIds.editInline),
      rewrite(vscode.l10n.t("Explain with Inference Gateway"), commandIds.explainCode),
    );
  }
  return found;
}

/** A proposed change as its actions in the editor need it. */
interface ProposedChange {
  readonly id: string;
  readonly uri: vscode.Uri;
  readonly proposal: vscode.Uri;
  /** The tab of the diff. */
  readonly title: string;
  readonly state: string;
}

/** The actions above code for which a change is proposed: stop it while it is written, then accept or reject it. */
export function proposalLenses(
  range: vscode.Range,
  { id, uri, proposal, title, state }: ProposedChange,
): vscode.CodeLens[] {
  const lens = (label: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title: label, command, arguments: [id] });
  const diff = new vscode.CodeLens(range, {
    title: vscode.l10n.t("Show Changes"),
    command: "vscode.diff",
    arguments: [uri, proposal, title, { preview: false }],
  });
  if (state === "running")
    return [lens(`$(loading~spin)\u00a0${vscode.l10n.t("Stop")}`, commandIds.stop), diff];
  return [
    lens(`$(check)\u00a0${vscode.l10n.t("Accept")}`, commandIds.acceptProposal),
    lens(`$(discard)\u00a0${vscode.l10n.t("Reject")}`, commandIds.rejectProposal),
    diff,
  ];
}
