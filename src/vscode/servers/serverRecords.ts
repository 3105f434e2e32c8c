import * as vscode from "vscode";
import type { ServerRow } from "../../core/servers/tree/rows.ts";
import { serverDetails, serverRecordText } from "../../core/servers/details/serverDetails.ts";
import { serverName } from "../../core/servers/serverLabels.ts";

/**
 * Finds a server's row by the profile's name and the server's key. Undefined if the list doesn't contain it at the
 * moment.
 */
type FindRow = (profileName: string, key: string) => ServerRow | undefined;

/** Read-only JSON documents of records with secrets masked. An open one is updated whenever its list is refreshed. */
export class ServerRecords {
  readonly #find: FindRow;
  readonly #scheme: string;
  readonly #onDidChange: vscode.EventEmitter<vscode.Uri>;
  readonly #measured: (row: ServerRow) => readonly string[];

  /** @param measured What is measured on the server itself, one line for each GPU. */
  constructor(
    find: FindRow,
    scheme: string,
    onDidChange: vscode.EventEmitter<vscode.Uri>,
    measured: (row: ServerRow) => readonly string[],
  ) {
    this.#find = find;
    this.#scheme = scheme;
    this.#onDidChange = onDidChange;
    this.#measured = measured;
  }

  text(uri: vscode.Uri): string {
    const row = this.#rowOf(uri);
    const isDetails = uri.path.endsWith(".md");
    if (row !== undefined)
      return isDetails ? serverDetails(row, this.#measured(row)) : serverRecordText(row.server);
    if (isDetails) return vscode.l10n.t("This server is no longer in the list. Refresh the GPU servers.");
    return `${JSON.stringify(vscode.l10n.t("This server is no longer in the list. Refresh the GPU servers."))}\n`;
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
      if (uri.scheme === this.#scheme && uri.authority === "") this.#onDidChange.fire(uri);
    }
  }

  #rowOf({ query }: vscode.Uri): ServerRow | undefined {
    const parameters = new URLSearchParams(query);
    return this.#find(parameters.get("profile") ?? "", parameters.get("server") ?? "");
  }

  /** Stays the same across refreshes. The path provides the tab's name, and the query identifies the server. */
  #uriOf({ server, profileName, key }: ServerRow, extension: "json" | "md"): vscode.Uri {
    const name = serverName(server)
      .replace(/[\\/:*?"<>|#%]+/g, "-")
      .slice(0, 80);
    const query = new URLSearchParams({ profile: profileName, server: key }).toString();
    return vscode.Uri.from({ scheme: this.#scheme, path: `/${name}.${extension}`, query });
  }
}
