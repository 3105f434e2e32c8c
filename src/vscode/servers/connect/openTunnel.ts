import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { inertText } from "../../../core/conversation/inertText.ts";
import { tunnelCommand } from "../../../core/servers/connect/modelEndpoint.ts";
import { rowLabel } from "../../../core/servers/tree/rowWords.ts";
import { checkPort } from "../../../gateway/http/checkPort.ts";
import { maySsh } from "./sshChoice.ts";
import type { SshChoice } from "./sshChoice.ts";
import { showWarningMessage, withProgress } from "../../shell/window.ts";

const host = "127.0.0.1";
const pauseMs = 500;
const attemptMs = 2_000;

/**
 * Runs ssh in a terminal, where it may ask for what it needs, and waits until the port is there. Resolves with the port on
 * this machine; undefined when the user cancels or ssh ends, which is told.
 */
export async function openTunnel(choice: SshChoice, serverPort: number): Promise<number | undefined> {
  if (!(await maySsh(choice))) return undefined;
  const localPort = (await freePort(serverPort)) ?? (await freePort(0));
  if (localPort === undefined) return undefined;
  const name = inertText(vscode.l10n.t("Tunnel {0}:{1}", rowLabel(choice.row), serverPort), 100);
  const terminal = vscode.window.createTerminal({ name });
  terminal.show();
  terminal.sendText(tunnelCommand(choice.target, localPort, serverPort));
  const title = vscode.l10n.t("Waiting for the SSH tunnel. Answer any ssh prompts in the terminal…");
  const options = { location: vscode.ProgressLocation.Notification, title, cancellable: true };
  const outcome = await withProgress(options, (_, token) => waitForPort(localPort, terminal, token));
  if (outcome === "ended") {
    const message = vscode.l10n.t("ssh exited before the tunnel opened. See its terminal for details.");
    void showWarningMessage(message, { modal: true });
  }
  return outcome === "open" ? localPort : undefined;
}

/** `ended` where ssh did, as far as the shell tells, or its terminal. */
async function waitForPort(
  port: number,
  terminal: vscode.Terminal,
  token: vscode.CancellationToken,
): Promise<"open" | "ended" | "cancelled"> {
  const { signal } = new AbortController();
  let hasEnded = false;
  const subscription = vscode.window.onDidEndTerminalShellExecution((event) => {
    hasEnded ||= event.terminal === terminal;
  });
  try {
    while (!token.isCancellationRequested) {
      if ((await checkPort(host, port, attemptMs, signal)) === "open") return "open";
      if (hasEnded || terminal.exitStatus !== undefined) return "ended";
      await sleep(pauseMs);
    }
    return "cancelled";
  } finally {
    subscription.dispose();
  }
}

/** The port where nobody has it on this machine, or any free one for 0; undefined where it is taken. */
function freePort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, host, () => {
      const address = server.address();
      const free = typeof address === "object" && address !== null ? address.port : undefined;
      server.close(() => resolve(free));
    });
  });
}
