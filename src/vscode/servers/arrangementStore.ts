import type * as vscode from "vscode";
import type { Arrangement, SavedView } from "../../core/servers/arrange/arrangement.ts";
import { parseArrangement, parseSavedViews } from "../../core/servers/arrange/arrangement.ts";

const arrangementKey = "inferenceGateway.servers.arrangement";
const viewsKey = "inferenceGateway.servers.views";

/** How the servers are shown in this workspace, and the saved views, which are shared by all workspaces. */
export class ArrangementStore {
  readonly #workspace: vscode.Memento;
  readonly #global: vscode.Memento;

  constructor(workspace: vscode.Memento, global: vscode.Memento) {
    this.#workspace = workspace;
    this.#global = global;
  }

  read(): Arrangement {
    return parseArrangement(this.#workspace.get(arrangementKey));
  }

  async write(arrangement: Arrangement): Promise<void> {
    await this.#workspace.update(arrangementKey, arrangement);
  }

  views(): readonly SavedView[] {
    return parseSavedViews(this.#global.get(viewsKey));
  }

  async writeViews(views: readonly SavedView[]): Promise<void> {
    await this.#global.update(viewsKey, views);
  }
}
