import * as vscode from "vscode";

/** The sentences of the user's language as data for a page, which its policy does not let run; no text in it can end the element. */
export function pageTranslations(): string {
  const { bundle } = vscode.l10n;
  return bundle === undefined ? "" : JSON.stringify(bundle).replaceAll("<", "\\u003c");
}
