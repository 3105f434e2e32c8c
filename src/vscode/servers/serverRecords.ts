import * as vscode from "vscode";
import type { ServerRow } from "../../core/servers/tree/rows.ts";
import { serverDetails, serverRecordText } from "../../core/servers/details/serverDetails.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import { recordScheme } from "./serversHost.ts";

/** The part of the view with the servers that their documents need. */
interface ServerRecordsContext {
  readonly rows: { find(profileName: string, key: string): ServerRow | undefined };
  /** What is measured on the servers themselves. */
  readonly gpu: { lines(row: ServerRow): readonly string[] } | undefined;
}

/** Read-only JSON documents of records with secrets masked. An open one is updated whenever its list is refreshed. */
export class ServerRecords {
  readonly #serversView: ServerRecordsContext;
  readonly #onDidChange: vscode.EventEmitter<vscode.Uri>;

  constructor(serversView: ServerRecordsContext, onDidChange: vscode.EventEmitter<vscode.Uri>) {
    this.#serversView = serversView;
    this.#onDidChange = onDidChange;
  }

  text(uri: vscode.Uri): string {
    const row = this.#rowOf(uri);
    const isDetails = uri.path.endsWith(".md");
    if (row !== undefined)
      return isDetails ? serverDetails(row, this.#serversView.gpu?.lines(row)) : serverRecordText(row.server);
    const gone = vscode.l10n.t("This server is no longer in the list. Refresh the GPU servers.");
    return isDetails ? gone : `${JSON.stringify(gone)}\n`;
  }

  /** Opens the record as a preview that the next one replaces, without replacing any of the user's documents. */
  async show(row: ServerRow): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.#uriOf(row, "json"));
    if (document.languageId !== "json") await vscode.languages.setTextDocumentLanguage(document, "json");
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** A Markdown document with everything known about the server, updated at each refresh. */
  detailsUri(row: ServerRow): vscode.Uri {
    return this.#uriOf(row, "md");
  }

  /** Called when the lists were refreshed. */
  refresh(): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      if (uri.scheme === recordScheme && uri.authority === "") this.#onDidChange.fire(uri);
    }
  }

  #rowOf({ query }: vscode.Uri): ServerRow | undefined {
    const parameters = new URLSearchParams(query);
    return this.#serversView.rows.find(parameters.get("profile") ?? "", parameters.get("server") ?? "");
  }

  /** Stays the same across refreshes. The path provides the tab's name, and the query identifies the server. */
  #uriOf({ server, profileName, key }: ServerRow, extension: "json" | "md"): vscode.Uri {
    const name = serverName(server)
      .replace(/[\\/:*?"<>|#%]+/g, "-")
      .slice(0, 80);
    const query = new URLSearchParams({ profile: profileName, server: key }).toString();
    return vscode.Uri.from({ scheme: recordScheme, path: `/${name}.${extension}`, query });
  }
}
