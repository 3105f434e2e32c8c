import * as vscode from "vscode";
import { readBaseUrl } from "../../../core/account/baseUrl.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import type { FindUpstreams, LocalGateway } from "../../../core/account/localGateway/localGateway.ts";
import type { LocalGatewayControl } from "../../../core/account/localGateway/localGatewayControl.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { readSetting } from "../../shell/settings.ts";
import { showErrorMessage, showInformationMessage, showQuickPick, withProgress } from "../../shell/window.ts";

/** What starting the local gateway needs. */
export interface LocalGatewayContext {
  readonly control: LocalGatewayControl;
  readonly findUpstreams: FindUpstreams;
  readonly log: Log;
}

/** Undefined if it didn't start. The user has been shown the reason. */
export async function startConfiguredGateway(
  { control, findUpstreams, log }: LocalGatewayContext,
  isAutomatic: boolean,
): Promise<LocalGateway | undefined> {
  try {
    const upstream = await readUpstream(findUpstreams, { isAutomatic });
    if (upstream === undefined) return undefined;
    const title = vscode.l10n.t("Starting the local gateway…");
    const location = isAutomatic ? vscode.ProgressLocation.Window : vscode.ProgressLocation.Notification;
    return await withProgress({ location, title }, () => control.start(upstream, { isAutomatic }));
  } catch (error) {
    const message = messageOf(error);
    log.error(`The local gateway couldn't start: ${message}`);
    void showFailure(message);
    return undefined;
  }
}

async function showFailure(message: string): Promise<void> {
  const openSettings = vscode.l10n.t("Open Settings");
  const text = vscode.l10n.t("The local gateway couldn't start. {0}", message);
  const picked = await showErrorMessage(text, openSettings);
  if (picked !== openSettings) return;
  await vscode.commands.executeCommand("workbench.action.openSettings", "inferenceGateway.localGateway");
}

/** Shows where it listens, and offers actions for it. */
export async function offerNextSteps({ inferenceBaseUrl }: LocalGateway): Promise<void> {
  const newChat = vscode.l10n.t("New Chat");
  const copyBaseUrl = vscode.l10n.t("Copy Base URL");
  const message = vscode.l10n.t("Local gateway running at {0}. Its profile is now active.", inferenceBaseUrl);
  const picked = await showInformationMessage(message, newChat, copyBaseUrl);
  if (picked === newChat) await vscode.commands.executeCommand(commandIds.newChat);
  if (picked === copyBaseUrl) await vscode.env.clipboard.writeText(inferenceBaseUrl);
}

/**
 * The upstream from the setting; empty for the demo models. If the setting is `ask` and the user can be asked, asks for
 * the model server. Undefined if the user cancels. Throws an error with a sentence for the user if it isn't a URL.
 */
async function readUpstream(
  findUpstreams: FindUpstreams,
  { isAutomatic }: { readonly isAutomatic: boolean },
): Promise<string | undefined> {
  const written = readSetting("localGateway.upstream");
  const choice = typeof written === "string" ? written.trim() : "";
  const upstream = choice === "ask" ? (isAutomatic ? "" : await pickUpstream(findUpstreams)) : choice;
  return upstream === undefined || upstream === "" ? upstream : requireUrl(upstream);
}

/** Empty for the demo models. */
async function pickUpstream(findUpstreams: FindUpstreams): Promise<string | undefined> {
  const found = await withProgress(
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Looking for model servers…") },
    () => findUpstreams(),
  );
  const demo = {
    label: vscode.l10n.t("Demo models"),
    description: vscode.l10n.t("nothing to install; clearly labeled as demos"),
    url: "",
  };
  const servers = found.map(({ name, url, models }) => ({
    label: escapeCodicons(name),
    description: url,
    detail: models.join(", "),
    url,
  }));
  const picked = await showQuickPick([...servers, demo], {
    title: vscode.l10n.t("Start Local Gateway"),
    placeHolder: vscode.l10n.t("Select where responses come from"),
  });
  return picked?.url;
}

function requireUrl(text: string): string {
  const { url, problem } = readBaseUrl(text, "inference", true);
  if (url !== undefined) return url;
  const sentence = vscode.l10n.t(
    "The setting “inferenceGateway.localGateway.upstream” can't be used. {0}",
    problem ?? "",
  );
  throw new Error(sentence);
}
