import * as vscode from "vscode";
import { problemsPart } from "../../../core/compose/context/contextPart.ts";
import { formatProblems } from "../../../core/compose/context/problemLines.ts";
import type { Problem } from "../../../core/compose/context/problemLines.ts";
import type { Choice } from "./choice.ts";

const severities: Readonly<Record<vscode.DiagnosticSeverity, Problem["severity"]>> = {
  [vscode.DiagnosticSeverity.Error]: "error",
  [vscode.DiagnosticSeverity.Warning]: "warning",
  [vscode.DiagnosticSeverity.Information]: "information",
  [vscode.DiagnosticSeverity.Hint]: "hint",
};

/** Problems of the document and of the whole workspace; one row that says so where there are none. */
export function problemChoices(document: vscode.TextDocument | undefined, label: string): readonly Choice[] {
  const all = vscode.languages
    .getDiagnostics()
    .flatMap(([uri, list]) => list.map((each) => problemOf(uri, each)));
  if (all.length === 0) {
    return [
      {
        suggestion: { label, detail: vscode.l10n.t("None"), icon: "warning", isUnavailable: true },
      },
    ];
  }
  const path = document === undefined ? undefined : vscode.workspace.asRelativePath(document.uri);
  const here = all.filter((problem) => problem.path === path);
  return [
    ...(here.length === 0 ? [] : [problemChoice(label, here, path)]),
    ...(here.length === all.length ? [] : [problemChoice(label, all, undefined)]),
  ];
}

function problemChoice(label: string, problems: readonly Problem[], path: string | undefined): Choice {
  const count =
    problems.length === 1 ? vscode.l10n.t("1 problem") : vscode.l10n.t("{0} problems", problems.length);
  const where = path ?? vscode.l10n.t("the whole workspace");
  return {
    suggestion: { label, detail: vscode.l10n.t("{0} in {1}", count, where), icon: "warning" },
    pick: async () => ({ text: "", parts: [problemsPart(path, formatProblems(problems))] }),
  };
}

function problemOf(uri: vscode.Uri, { range, severity, message, source, code }: vscode.Diagnostic): Problem {
  const value = typeof code === "object" ? code.value : code;
  return {
    path: vscode.workspace.asRelativePath(uri),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severities[severity],
    message,
    ...(source === undefined ? {} : { source }),
    ...(value === undefined ? {} : { code: String(value) }),
  };
}
