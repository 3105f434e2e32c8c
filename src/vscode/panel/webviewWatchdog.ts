import * as vscode from "vscode";
import type { Log } from "../../core/kernel/log.ts";
import { WatchdogState } from "../../core/panel/watchdogState.ts";
import type { ChatSurface } from "./chatSurface.ts";
import { schedule } from "../shell/pause.ts";
import { showErrorMessage } from "../shell/window.ts";

/** Notices when a visible surface's page has died, and rebuilds it. It has to hear of every message from the page. */
export function watchPage(
  surface: ChatSurface,
  rebuiltAt: number[],
  log: Log,
): vscode.Disposable & Pick<WatchdogState, "noteMessage"> {
  const state = new WatchdogState({
    rebuiltAt,
    now: () => performance.now(),
    schedule,
    ask: () => surface.post({ type: "ping" }),
    // Setting a context key makes a round trip to the window and has no other effect.
    pingWindow: () => vscode.commands.executeCommand("setContext", "inferenceGateway.chat.asked", true),
    rebuild: () => {
      log.warn("A chat page doesn't respond and is being rebuilt.");
      surface.rebuild();
    },
    giveUp: async () => {
      log.error("Chat pages stopped responding several times and aren't rebuilt anymore.");
      const reload = vscode.l10n.t("Reload");
      const words = vscode.l10n.t(
        "The chat isn't responding, even after it was reloaded. The conversation is safe.",
      );
      return (await showErrorMessage(words, reload)) === reload;
    },
  });
  // VS Code rebuilds the page when it is shown again or moved.
  const look = (): void => (surface.isVisible ? state.start() : state.stop());
  const listener = surface.onDidChange(look);
  look();
  return {
    noteMessage: () => state.noteMessage(),
    dispose: () => {
      state.stop();
      listener.dispose();
    },
  };
}
