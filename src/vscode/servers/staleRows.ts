import * as vscode from "vscode";

/** Stands in rows whose servers could not be asked for again; decorations are found by it. */
const staleUri = vscode.Uri.from({ scheme: "inference-gateway-stale", path: "/" });

/** Greys the text of such a row. Its description says in words what the color says. */
export function markStale(item: vscode.TreeItem): void {
  item.resourceUri = staleUri;
}

/** VS Code colors the text of a tree's rows by decorations alone. */
export function registerStaleRows(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme }) =>
      scheme === staleUri.scheme
        ? { color: new vscode.ThemeColor("list.deemphasizedForeground") }
        : undefined,
  });
}
