import type * as vscode from "vscode";
import type { ToWebview } from "../../core/panel/protocol.ts";

/** Where a chat page stands: a tab among the editors, or a view. The page in it is disposable. */
export interface ChatSurface {
  readonly isVisible: boolean;
  /** Whether it is the editor that has, or had last, the focus. A view doesn't know. */
  readonly isActive: boolean;
  setTitle(title: string): void;
  /** Never awaited: a message a frame must not wait for the one before. */
  post(message: ToWebview): void;
  /** Brings it to the front, with the focus. */
  reveal(): void;
  /** Rebuilds the page in the same location, whatever has become of the old one. */
  rebuild(): void;
  onDidReceive(listener: (message: unknown) => void): vscode.Disposable;
  /** It was shown, hidden, moved or became the active one. */
  onDidChange(listener: () => void): vscode.Disposable;
  onDidDispose(listener: () => void): vscode.Disposable;
}
