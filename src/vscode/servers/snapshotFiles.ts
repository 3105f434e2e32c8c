import { createHash } from "node:crypto";
import * as vscode from "vscode";
import type { StoredServers } from "../../core/servers/snapshot/serverSnapshotText.ts";
import { formatServerSnapshot, parseServerSnapshot } from "../../core/servers/snapshot/serverSnapshotText.ts";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";

const shortestPauseMs = 30_000;

/** What was listed last of each gateway, a file each, so that the next start has something to show at once. */
export class SnapshotFiles {
  readonly #folder: vscode.Uri;
  readonly #writtenAt = new Map<string, number>();

  constructor(storageUri: vscode.Uri) {
    this.#folder = vscode.Uri.joinPath(storageUri, "servers");
  }

  /** Undefined where nothing was stored, or nothing that can be read. */
  async read(profileName: string, origin: string): Promise<StoredServers | undefined> {
    try {
      const bytes = await vscode.workspace.fs.readFile(this.#uriOf(profileName, origin));
      return parseServerSnapshot(new TextDecoder().decode(bytes));
    } catch {
      return undefined;
    }
  }

  /** Not oftener than every 30 s; without secrets. What can't be written is only slower at the next start. */
  async write(profileName: string, origin: string, snapshot: ServerListSnapshot): Promise<void> {
    const uri = this.#uriOf(profileName, origin);
    const key = uri.toString();
    if (Date.now() - (this.#writtenAt.get(key) ?? 0) < shortestPauseMs) return;
    const text = formatServerSnapshot(snapshot);
    if (text === undefined) return;
    this.#writtenAt.set(key, Date.now());
    try {
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
    } catch {
      this.#writtenAt.delete(key);
    }
  }

  /** Nobody is signed in any more. */
  async remove(profileName: string, origin: string): Promise<void> {
    const uri = this.#uriOf(profileName, origin);
    this.#writtenAt.delete(uri.toString());
    try {
      await vscode.workspace.fs.delete(uri);
    } catch {
      // There was none.
    }
  }

  #uriOf(profileName: string, origin: string): vscode.Uri {
    const name = createHash("sha256").update(`${profileName}\n${origin}`).digest("hex").slice(0, 32);
    return vscode.Uri.joinPath(this.#folder, `${name}.json`);
  }
}
