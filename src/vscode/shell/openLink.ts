import * as vscode from "vscode";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { showWarningMessage } from "./window.ts";

const schemes: ReadonlySet<string> = new Set(["http", "https", "mailto"]);

/** The page has shown where the link leads. VS Code asks again before opening an unknown site. */
export async function openLink(href: string): Promise<void> {
  const uri = parseLink(href);
  if (uri !== undefined && schemes.has(uri.scheme) && (await openExternal(uri))) return;
  const words = vscode.l10n.t("This link can't be opened: {0}", sanitizeLabel(href, 120));
  void showWarningMessage(words);
}

/** VS Code rejects some URLs that look valid, such as `https:////a`. */
function parseLink(href: string): vscode.Uri | undefined {
  try {
    return vscode.Uri.parse(href, true);
  } catch {
    return undefined;
  }
}

/** True if the link has been opened, or the user decided not to. */
async function openExternal(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.env.openExternal(uri);
    return true;
  } catch {
    return false;
  }
}
