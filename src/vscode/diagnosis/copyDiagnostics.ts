import * as vscode from "vscode";
import { redactionMark } from "../../core/account/redaction.ts";
import type { Redaction } from "../../core/account/redaction.ts";
import { replaceSecrets } from "../../core/account/secrets/scanSecrets.ts";
import { declaredSettings, diagnosticsReport } from "../../core/diagnosis/diagnosticsReport.ts";
import { remoteHostName } from "../shell/ownMachine.ts";
import { setStatusBarMessage } from "../shell/window.ts";

/** What the diagnostics for an issue are collected from. */
export interface DiagnosticsContext {
  /** This extension. Its manifest contains the version and the settings. */
  readonly extension: vscode.Extension<unknown>;
  readonly redaction: Redaction;
  /** The last lines of the log, oldest first, without secrets. */
  recentLog(): Promise<readonly string[]>;
}

/** Copies versions, settings and the end of the log to the clipboard, to be pasted into a report. */
export async function copyDiagnostics({
  extension,
  redaction,
  recentLog,
}: DiagnosticsContext): Promise<void> {
  const configuration = vscode.workspace.getConfiguration();
  const manifest: unknown = extension.packageJSON;
  const report = diagnosticsReport({
    environment: environmentFacts(extension),
    settings: declaredSettings(manifest).map((setting) => ({
      setting,
      value: configuration.inspect(setting.name)?.globalValue,
    })),
    log: await recentLog(),
  });
  // Every part comes from an allow-list or was redacted when it was created. This is the safety net.
  const redacted = replaceSecrets(redaction.redact(report), redactionMark, "strict");
  await vscode.env.clipboard.writeText(redacted);
  setStatusBarMessage(vscode.l10n.t("Diagnostics copied, without secrets."), 5_000);
}

function environmentFacts({ packageJSON }: vscode.Extension<unknown>): readonly string[] {
  const { version }: { readonly version?: unknown } = packageJSON;
  const { remoteName, appName, language, uiKind } = vscode.env;
  return [
    `Inference Gateway ${String(version)}`,
    `${appName} ${vscode.version}, ${language}, ${uiKind === vscode.UIKind.Web ? "web" : "desktop"}`,
    `${process.platform} ${process.arch}, Node.js ${process.versions.node}`,
    remoteName === undefined ? "Not a remote window" : `Remote window: ${remoteName}`,
    remoteHostName() === undefined ? "Runs on the user's machine" : "Runs on the remote machine",
    vscode.workspace.isTrusted ? "Trusted workspace" : "Restricted mode",
  ];
}
