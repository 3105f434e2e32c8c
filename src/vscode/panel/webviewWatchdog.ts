import * as vscode from "vscode";
import type { Log } from "../../core/kernel/log.ts";
import { WatchdogState } from "../../core/panel/watchdogState.ts";
import type { Rebuilds } from "../../core/panel/watchdogState.ts";
import type { FromWebview } from "../../core/panel/protocol.ts";
import type { ChatSurface } from "./chatSurface.ts";
import { schedule } from "../shell/pause.ts";
import { showErrorMessage } from "../shell/window.ts";

interface PageWatchContext {
  readonly log: Log;
  readonly rebuilds: Rebuilds;
  /** Whether there is something to send to the page. */
  isBusy(): boolean;
}

/** What a page reports about itself. */
type SignOfLife = Extract<FromWebview, { readonly type: "ping" | "pong" | "pageError" }>;

/** Notices when a visible surface's page has died, and rebuilds it. */
export class WebviewWatchdog implements vscode.Disposable {
  readonly #surface: ChatSurface;
  readonly #log: Log;
  readonly #health: WatchdogState;
  readonly #rebuilds: Rebuilds;
  readonly #listener: vscode.Disposable;

  constructor(surface: ChatSurface, { isBusy, rebuilds, log }: PageWatchContext) {
    this.#surface = surface;
    this.#log = log;
    this.#rebuilds = rebuilds;
    this.#health = new WatchdogState({
      now: () => performance.now(),
      schedule,
      isBusy,
      rebuilds,
      ask: () => surface.post({ type: "ping" }),
      // Setting a context key makes a round trip to the window and has no other effect.
      pingWindow: () => vscode.commands.executeCommand("setContext", "inferenceGateway.chat.asked", true),
      rebuild: (silentMs) => {
        log.warn(`A chat page hasn't responded for ${Math.round(silentMs)} ms and is being rebuilt.`);
        this.#rebuild();
      },
      giveUp: () => {
        log.error("A chat page stopped responding several times and isn't rebuilt anymore.");
        void this.#offerReload();
      },
    });
    this.#listener = surface.onDidChange(() => this.#onDidChange());
    this.#onDidChange();
  }

  /** Call this for every message from the page. */
  noteMessage(): void {
    if (this.#surface.isVisible) this.#health.noteMessage();
  }

  handle(sign: SignOfLife): void {
    if (sign.type === "ping") this.#surface.post({ type: "pong" });
    if (sign.type === "pageError") this.#log.error(`Error in the chat page: ${sign.message}`);
  }

  becameBusy(): void {
    this.#health.becameBusy();
  }

  dispose(): void {
    this.#health.stop();
    this.#listener.dispose();
  }

  /** VS Code rebuilds the page when it is shown again or moved. */
  #onDidChange(): void {
    if (this.#surface.isVisible) this.#health.start();
    else this.#health.stop();
  }

  #rebuild(): void {
    this.#surface.rebuild();
    this.#health.start();
  }

  async #offerReload(): Promise<void> {
    const reload = vscode.l10n.t("Reload");
    const picked = await showErrorMessage(
      vscode.l10n.t("The chat isn't responding, even after it was reloaded. The conversation is safe."),
      reload,
    );
    if (picked !== reload) return;
    this.#rebuilds.forgive();
    this.#rebuild();
  }
}
