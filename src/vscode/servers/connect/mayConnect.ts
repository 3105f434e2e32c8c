import * as vscode from "vscode";
import { portSentence } from "../../../core/servers/connect/portState.ts";
import { checkPort } from "../../../gateway/http/checkPort.ts";
import { showWarningMessage, withProgress } from "../../shell/window.ts";

const portTimeoutMs = 5_000;

/** Looks whether somebody listens; where nobody does the user decides. False as well when the check is cancelled. */
export async function mayConnect(host: string, port: number, isPrivate: boolean): Promise<boolean> {
  const title = vscode.l10n.t("Checking port {0} of {1}…", port, host);
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const state = await withProgress(options, async (_, token) => {
    const controller = new AbortController();
    const subscription = token.onCancellationRequested(() => controller.abort());
    try {
      return await checkPort(host, port, portTimeoutMs, controller.signal);
    } catch {
      return undefined;
    } finally {
      subscription.dispose();
    }
  });
  if (state === undefined) return false;
  if (state === "open") return true;
  const connectAnyway = vscode.l10n.t("Connect Anyway");
  const sentence = portSentence(state, host, port, isPrivate);
  // Modal: the user waits for it, and a notification would hide before it was read.
  const picked = await showWarningMessage(sentence, { modal: true }, connectAnyway);
  return picked === connectAnyway;
}
