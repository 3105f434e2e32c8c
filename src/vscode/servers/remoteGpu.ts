import * as vscode from "vscode";
import type { RemotePlace } from "../../core/servers/connect/sshSession.ts";
import { sshCommand, windowTarget } from "../../core/servers/connect/sshTarget.ts";
import type { SshTarget } from "../../core/servers/connect/sshTarget.ts";
import { gpuLines, gpuProblems, gpuStatus } from "../../core/servers/gpu/gpuWatchState.ts";
import { escapeCodicons, inertStatus, inertText } from "../../core/kernel/foreignText.ts";
import { readPrivateFile } from "../../processes/servers/configFile.ts";
import { remoteGpuCommand } from "../shell/commandIds.ts";
import { openOwnTerminal } from "../shell/ownMachine.ts";
import { showQuickPick } from "../shell/window.ts";
import { sshConfigPath, sshHostsPath, usualSshConfigPath } from "./connect/remoteSsh.ts";
import { ServerMeasurement } from "./serverMeasurement.ts";

/** What changes in the status bar draws attention: milliseconds between two measurements, and after a failure. */
const [everyMs, afterFailureMs] = [60_000, 300_000];
const tickMs = 5_000;

/**
 * The GPUs of the machine on which a Remote-SSH window works, in the status bar. It is measured for a moment once a
 * minute while the window has the focus, through the user's own SSH configuration; nothing is asked, and nothing is left
 * running there.
 */
export class RemoteGpuStatusBar implements vscode.Disposable {
  readonly #storageUri: vscode.Uri;
  readonly #item = vscode.window.createStatusBarItem(
    "inferenceGateway.remoteGpu",
    vscode.StatusBarAlignment.Right,
    88,
  );
  readonly #registered: vscode.Disposable;
  readonly #measurement: ServerMeasurement;
  #target: SshTarget | undefined;
  /** Whether the user has opened the machine from the list of servers, so that it should have a GPU. */
  #isListed = false;

  constructor(storageUri: vscode.Uri) {
    this.#storageUri = storageUri;
    this.#item.name = vscode.l10n.t("Inference Gateway: GPU of the Remote Machine");
    this.#measurement = new ServerMeasurement({
      place: () => this.#place(),
      isRunning: () => false,
      isWorking: () => false,
      read: () => Promise.resolve([]),
      note: () => Promise.resolve(),
      onChange: () => undefined,
      onEnd: () => this.#paint(),
    });
    const timer = setInterval(() => this.#measureAgain(), tickMs);
    this.#registered = vscode.Disposable.from(
      { dispose: () => clearInterval(timer) },
      vscode.commands.registerCommand(remoteGpuCommand, () => this.#show()),
    );
    this.#measureAgain();
  }

  dispose(): void {
    this.#registered.dispose();
    this.#measurement.stop();
    this.#item.dispose();
  }

  #measureAgain(): void {
    const { isConnected, connectedAt, state } = this.#measurement;
    if (this.#target === undefined) {
      this.#target = openUris()
        .map(({ authority }) => windowTarget(authority))
        .find((target) => target !== undefined);
      this.#paint();
    }
    if (isConnected || !vscode.window.state.focused) return;
    const { problem } = state;
    const isHopeless = problem !== undefined && !gpuProblems[problem].retries;
    const pauseMs = problem === undefined ? everyMs : afterFailureMs;
    if (this.#target === undefined || isHopeless || Date.now() - connectedAt < pauseMs) return;
    void this.#measurement.connect(everyMs);
  }

  async #place(): Promise<RemotePlace | undefined> {
    const target = this.#target;
    if (target === undefined) return undefined;
    const hosts = await readPrivateFile(sshHostsPath(this.#storageUri));
    this.#isListed = hosts.split(/\r?\n/).includes(`Host ${target.host}`);
    const configPath = sshConfigPath();
    return { target, configPath: configPath === usualSshConfigPath() ? undefined : configPath };
  }

  #paint(): void {
    const { state } = this.#measurement;
    const { problem, measuredAt } = state;
    const hasGpu = problem !== "noTool" && problem !== "noGpu";
    if (!hasGpu && !this.#isListed) return this.#item.hide();
    const lines = this.#lines();
    this.#item.text = `$(circuit-board) ${inertStatus(gpuStatus(state))}`;
    const tooltip = new vscode.MarkdownString();
    for (const line of lines) tooltip.appendText(line).appendMarkdown("\n\n");
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = {
      label: [this.#item.text.replace(/^\S+ /, ""), ...lines].join(", "),
    };
    this.#item.command = this.#target === undefined ? "workbench.action.files.openFolder" : remoteGpuCommand;
    // Until the first values, there is nothing to show unless something is missing.
    const isWaiting = measuredAt === undefined && problem === undefined && this.#target !== undefined;
    if (isWaiting) this.#item.hide();
    else this.#item.show();
  }

  #lines(): readonly string[] {
    if (this.#target === undefined)
      return [vscode.l10n.t("Open a folder or file on the remote machine to see its GPUs here.")];
    return [this.#target.host, ...gpuLines(this.#measurement.state)];
  }

  async #show(): Promise<void> {
    const target = this.#target;
    if (target === undefined) return;
    const { problem } = this.#measurement.state;
    const again = { label: `$(refresh) ${vscode.l10n.t("Measure Again")}` };
    const terminal = { label: `$(terminal) ${vscode.l10n.t("Open SSH Session in Terminal")}` };
    const [, ...lines] = this.#lines();
    const items = [
      ...lines.map((line) => ({ label: escapeCodicons(line) })),
      { label: "", kind: vscode.QuickPickItemKind.Separator },
      again,
      // The terminal would offer to accept a key that may be an attacker's.
      ...(problem === "changedKey" || problem === "noSsh" ? [] : [terminal]),
    ];
    const picked = await showQuickPick(items, { title: vscode.l10n.t("GPUs of {0}", target.host) });
    if (picked === terminal)
      openOwnTerminal(inertText(`SSH ${target.host}`, 100)).sendText(sshCommand(target));
    if (picked === again) await this.#measurement.connect(0);
  }
}

/** What is open in the window. Its authority names the machine. */
function openUris(): readonly vscode.Uri[] {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const editors = vscode.window.visibleTextEditors.map(({ document }) => document.uri);
  return [
    ...(workspaceFile === undefined ? [] : [workspaceFile]),
    ...workspaceFolders.map(({ uri }) => uri),
    ...editors,
  ];
}
