import * as vscode from "vscode";

/** Marks rows whose servers couldn't be refreshed. Decorations are found by this URI. */
const staleUri = vscode.Uri.from({ scheme: "inference-gateway-stale", path: "/" });

/** Grays out the text of such a row. Its description says the same in words. */
export function markStale(item: vscode.TreeItem): void {
  item.resourceUri = staleUri;
}

/** VS Code colors the text of tree rows only through decorations. */
export function registerStaleRows(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme }) =>
      scheme === staleUri.scheme
        ? { color: new vscode.ThemeColor("list.deemphasizedForeground") }
        : undefined,
  });
}
