import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import { redactionMark } from "../../core/account/redaction.ts";
import type { Redaction } from "../../core/account/redaction.ts";
import type { ReportRemedy } from "../../core/account/remedies.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import { findProfileEntry } from "../../core/diagnosis/diagnosis.ts";
import type { Diagnosis, ProfileReport } from "../../core/diagnosis/diagnosis.ts";
import {
  diagnosisDocument,
  verdict,
  diagnosisPage,
  remediesOf,
} from "../../core/diagnosis/diagnosisDocument.ts";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import { originOf } from "../../core/kernel/httpAddress.ts";
import type { Log } from "../../core/kernel/log.ts";
import { diagnoseProfile } from "../../gateway/diagnosis/diagnoseProfile.ts";
import type { DiagnosisPorts } from "../../gateway/diagnosis/target.ts";
import type { ModelMemory } from "../account/modelMemory.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { runReportRemedy } from "../account/runRemedy.ts";
import { tabIcon } from "../shell/webviewPage.ts";
import type { Clients } from "../shell/clientFactory.ts";
import { commandIds, copyReportCommand, fixConnectionCommand } from "../shell/commandIds.ts";
import { reachMilestone } from "../shell/milestones.ts";
import { remoteHostName } from "../shell/ownMachine.ts";
import {
  setStatusBarMessage,
  showConfirmation,
  showInformationMessage,
  showQuickPick,
  withLateProgress,
} from "../shell/window.ts";

/** Also used in the `when` clauses of package.json. */
const viewType = "inferenceGateway.connectionReport";

/** The only commands that a click in the report can run. */
const commands = [fixConnectionCommand, copyReportCommand, commandIds.diagnoseConnection];

/** The content of a report. */
interface Report {
  /** As Markdown, for sharing. */
  readonly text: string;
  /** The content of the page. */
  readonly body: string;
  readonly remedies: readonly ReportRemedy[];
}

/** The last report, in a tab without any script: its buttons are links to our own commands. */
class ReportPanel implements vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  #panel: vscode.WebviewPanel | undefined;
  #report: Report = { text: "", body: "", remedies: [] };

  constructor(extensionUri: vscode.Uri) {
    this.#extensionUri = extensionUri;
  }

  /** The link for a remedy's button. */
  static remedyAddress(index: number): string {
    return commandAddress(fixConnectionCommand, index);
  }

  get text(): string {
    return this.#report.text;
  }

  show(report: Report): void {
    this.#report = report;
    const panel = (this.#panel ??= this.#open());
    panel.webview.html = this.#page(panel.webview, report.body);
    panel.reveal();
  }

  findRemedy(index: unknown): ReportRemedy | undefined {
    return typeof index === "number" ? this.#report.remedies[index] : undefined;
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  #open(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      viewType,
      vscode.l10n.t("Connection Report"),
      vscode.ViewColumn.Active,
      {
        enableCommandUris: commands,
        enableFindWidget: true,
        localResourceRoots: [vscode.Uri.joinPath(this.#extensionUri, "dist", "webview")],
      },
    );
    panel.iconPath = tabIcon(this.#extensionUri);
    panel.onDidDispose(() => (this.#panel = undefined));
    return panel;
  }

  #page(webview: vscode.Webview, body: string): string {
    const styles = ["sharedStyle.css", "reportStyle.css"].map((name) => {
      const uri = vscode.Uri.joinPath(this.#extensionUri, "dist", "webview", name);
      return `<link rel="stylesheet" href="${webview.asWebviewUri(uri).toString()}">`;
    });
    const button = (command: string, label: string): string =>
      `<a class="button secondary" href="${commandAddress(command)}">${label}</a>`;
    return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="UTF-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src ${webview.cspSource}">
${styles.join("\n")}
</head>
<body>
<main>
${body}
<p class="buttons">
${button(commandIds.diagnoseConnection, vscode.l10n.t("Diagnose Again"))}
${button(copyReportCommand, vscode.l10n.t("Copy Report"))}
</p>
</main>
</body>
</html>`;
  }
}

function commandAddress(command: string, ...values: readonly unknown[]): string {
  return `command:${command}?${encodeURIComponent(JSON.stringify(values))}`;
}

/** What a diagnosis of the connection needs. */
export interface DiagnosisContext {
  readonly extensionUri: vscode.Uri;
  readonly profiles: Profiles;
  readonly vault: SecretVault;
  readonly clients: Clients;
  readonly models: ModelMemory;
  readonly redaction: Redaction;
  readonly log: Log;
  readonly version: string;
}

/** Runs diagnoses and keeps the last report. */
export class Diagnoses implements vscode.Disposable {
  readonly #context: DiagnosisContext;
  readonly #report: ReportPanel;

  constructor(context: DiagnosisContext) {
    this.#context = context;
    this.#report = new ReportPanel(context.extensionUri);
  }

  /**
   * Diagnoses the named profile. Without a name, asks which profiles to diagnose if there are several, and diagnoses
   * them one after the other. Then shows the report.
   */
  async run(profileName?: unknown): Promise<void> {
    const { profiles, redaction, log } = this.#context;
    const named = typeof profileName === "string" ? profiles.find(profileName) : undefined;
    const chosen = named === undefined ? await chooseProfiles(profiles) : [named];
    if (chosen.length === 0) return;
    const title = vscode.l10n.t("Diagnosing the connection…");
    const diagnosis = await withLateProgress(title, ({ signal, report }) =>
      diagnosisOf(this.#context, chosen, signal, (profile, step) => report(`${profile.name} · ${step}`)),
    );
    const isWorking = ({ sections }: ProfileReport): boolean =>
      sections
        .flatMap(({ steps }) => steps)
        .every(({ status }) => status === "passed" || status === "warning");
    if (diagnosis.profiles.some(isWorking)) reachMilestone("connectionChecked");
    log.info(`Diagnose Connection: ${verdict(diagnosis)}`);
    const redact = await loadMask(redaction);
    this.#report.show({
      text: diagnosisDocument(diagnosis, { redact }),
      body: diagnosisPage(diagnosis, { redact, remedyAddress: ReportPanel.remedyAddress }),
      remedies: remediesOf(diagnosis),
    });
  }

  /** @param index Index of the remedy in the report. */
  async applyFix(index: unknown): Promise<void> {
    const remedy = this.#report.findRemedy(index);
    if (remedy === undefined || !(await runReportRemedy(remedy, this.#context.profiles))) return;
    const again = vscode.l10n.t("Diagnose Again");
    const message = vscode.l10n.t("Done: {0}", remedy.label);
    const picked = await showInformationMessage(message, again);
    if (picked === again) await vscode.commands.executeCommand(commandIds.diagnoseConnection);
  }

  async copy(): Promise<void> {
    await vscode.env.clipboard.writeText(this.#report.text);
    setStatusBarMessage(vscode.l10n.t("$(check) Report copied, without secrets"), 3_000);
  }

  dispose(): void {
    this.#report.dispose();
  }
}

/** Masks every secret in a part of a report: those that are stored, and what looks like one. */
export async function loadMask(redaction: Redaction): Promise<(text: string) => string> {
  const { replaceSecrets } = await import("../../core/account/secrets/scanSecrets.ts");
  return (text) => replaceSecrets(redaction.redact(text), redactionMark, "careful");
}

/** Diagnoses the profiles one after the other. A canceled diagnosis contains the steps until then. */
export async function diagnosisOf(
  context: Pick<DiagnosisContext, "profiles" | "vault" | "clients" | "models" | "version">,
  profiles: readonly Profile[],
  signal: AbortSignal,
  onStep: (profile: Profile, title: string) => void,
): Promise<Diagnosis> {
  const { vault, clients, models, version } = context;
  const startedAt = Date.now();
  const reports: ProfileReport[] = [];
  for (const profile of profiles) {
    const ports: DiagnosisPorts = {
      ...(await clients.wire(profile)),
      readSecret: (owner, kind) => vault.obtain(owner, kind),
      lastModel: profile.defaultModel ?? models.read(profile.name),
    };
    const entry = findProfileEntry(context.profiles.readRaw(), profile.name);
    const step = (title: string): void => onStep(profile, title);
    reports.push(await diagnoseProfile({ ports, profile, entry, signal, onStep: step }));
  }
  return { profiles: reports, startedAt, environment: environmentLabel(version) };
}

/** The versions and the environment of the diagnosis: a remote machine that runs the extension has its own network. */
function environmentLabel(version: string): readonly string[] {
  const place =
    remoteHostName() === undefined
      ? vscode.l10n.t("run on this machine")
      : vscode.l10n.t("run on the remote machine");
  return [
    `Inference Gateway ${version}`,
    `VS Code ${vscode.version}`,
    `${process.platform} ${process.arch}, Node.js ${process.versions.node}`,
    place,
  ];
}

/** The profiles to diagnose: the only one, or those that the user leaves checked. Empty if the user cancels. */
async function chooseProfiles(profiles: Profiles): Promise<readonly Profile[]> {
  if (profiles.all.length === 0) {
    showConfirmation(profiles.problems[0] ?? vscode.l10n.t("There is no profile to diagnose."));
    return [];
  }
  if (profiles.all.length === 1) return profiles.all;
  const items = profiles.all.map((profile) => ({
    label: escapeCodicons(profile.name),
    description: [originOf(profile.inferenceBaseUrl), originOf(profile.gatewayUrl)]
      .filter((origin) => origin !== undefined)
      .join(" · "),
    picked: true,
    profile,
  }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Diagnose Connection"),
    placeHolder: vscode.l10n.t("Select profiles to diagnose"),
    canPickMany: true,
  });
  return (picked ?? []).map(({ profile }) => profile);
}
