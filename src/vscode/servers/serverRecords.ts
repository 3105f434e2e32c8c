import * as vscode from "vscode";
import type { Server } from "../../core/server.ts";
import type { ServerListState } from "../../core/servers/serverListState.ts";

const scheme = "inference-gateway-server";

/** Read-only JSON documents of records, secrets masked; an open one follows the refreshes of its list. */
export class ServerRecords implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #list: ServerListState;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #subscription: vscode.Disposable;
  readonly #unsubscribe: () => void;

  readonly onDidChange = this.#onDidChange.event;

  constructor(list: ServerListState) {
    this.#list = list;
    this.#subscription = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
    this.#unsubscribe = list.onDidChange(({ isRefreshing }) => {
      if (!isRefreshing) this.#updateOpenDocuments();
    });
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const { serverRecordText } = await import("../../core/servers/serverRecordText.ts");
    const server = this.#list.current.servers.find(({ key }) => key === uri.query);
    if (server !== undefined) return serverRecordText(server);
    return `${JSON.stringify(vscode.l10n.t("This server is not in the list now. Refresh the GPU servers."))}\n`;
  }

  /** Opens the record beside nothing else of the user's: as a preview that the next one replaces. */
  async show(server: Server): Promise<void> {
    const document = await vscode.workspace.openTextDocument(await recordUri(server));
    if (document.languageId !== "json") await vscode.languages.setTextDocumentLanguage(document, "json");
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#unsubscribe();
    this.#subscription.dispose();
    this.#onDidChange.dispose();
  }

  #updateOpenDocuments(): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === scheme) this.#onDidChange.fire(uri);
    }
  }
}

/** Stable over refreshes: the name is for the tab, the key for us. */
async function recordUri(server: Server): Promise<vscode.Uri> {
  const { serverName } = await import("../../core/servers/serverWords.ts");
  const name = serverName(server)
    .replace(/[\\/:*?"<>|#%]+/g, "-")
    .slice(0, 80);
  return vscode.Uri.from({ scheme, path: `/${name}.json`, query: server.key });
}
