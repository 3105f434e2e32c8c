import type * as vscode from "vscode";
import type { ChatPanels } from "./chatPanels.ts";
import type { Inspector } from "../responses/inspector/inspector.ts";
import type { Sessions } from "../conversation/sessions.ts";
import { History } from "../library/history.ts";

export interface HistoryPlace {
  readonly extensionUri: vscode.Uri;
  readonly storageUri: vscode.Uri;
}

/** What knows of conversations that are open. */
export interface HistoryParts {
  readonly sessions: Sessions;
  readonly panels: ChatPanels;
  readonly inspector: Inspector;
}

export function createHistory(
  { extensionUri, storageUri }: HistoryPlace,
  { sessions, panels, inspector }: HistoryParts,
): History {
  return new History({
    extensionUri,
    storageUri,
    store: () => sessions.store(),
    activeId: () => panels.active?.session.id,
    async open({ id, messageId, words }) {
      const panel = await panels.open(id);
      if (messageId !== undefined) panel.showMessage(messageId, words ?? []);
    },
    forget: (id) => inspector.forget(id),
    rename: (id, title) => sessions.find(id)?.rename(title),
    close(id) {
      sessions.discard(id);
      return panels.close(id);
    },
  });
}
