import type * as vscode from "vscode";
import type { ToWebview } from "../../core/panel/protocol.ts";
import type { ReadyState } from "../../core/panel/readyMarks.ts";

/** The surface of a chat page: an editor tab or a view. Its page is disposable. */
export interface ChatSurface {
  readonly isVisible: boolean;
  /** Whether it is the editor that has, or last had, the focus. A view can't determine that. */
  readonly isActive: boolean;
  setTitle(title: string): void;
  /** Marks the tab or the view because something has happened while it was hidden. */
  setMark(mark: ReadyState | undefined): void;
  /** Never awaited: a message per frame must not wait for the previous one. */
  post(message: ToWebview): void;
  /** Brings it to the front, with the focus. */
  reveal(): void;
  /** Rebuilds the page in the same location, whatever state the old one is in. */
  rebuild(): void;
  onDidReceive(listener: (message: unknown) => void): vscode.Disposable;
  /** Fires when it was shown, hidden, moved or became active. */
  onDidChange(listener: () => void): vscode.Disposable;
  onDidDispose(listener: () => void): vscode.Disposable;
}
