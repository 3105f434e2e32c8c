import * as vscode from "vscode";
import { findLocal } from "../../../core/account/localGateway/gatewayProfile.ts";
import type { LocalGateway } from "../../../core/account/localGateway/localGateway.ts";
import type { LocalGatewayControl } from "../../../core/account/localGateway/localGatewayControl.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";
import { commandIds } from "../../shell/commandIds.ts";
import {
  showConfirmation,
  showErrorMessage,
  showInformationMessage,
  withProgress,
} from "../../shell/window.ts";
import type { Profiles } from "../profiles/profiles.ts";

/** What starting the local gateway needs. */
export interface LocalGatewayContext {
  readonly control: LocalGatewayControl;
  readonly log: Log;
}

/** Undefined if it didn't start. The user has been shown the reason. */
export async function startConfiguredGateway(
  { control, log }: LocalGatewayContext,
  isAutomatic: boolean,
): Promise<LocalGateway | undefined> {
  try {
    const title = vscode.l10n.t("Starting the local gateway…");
    const location = isAutomatic ? vscode.ProgressLocation.Window : vscode.ProgressLocation.Notification;
    return await withProgress({ location, title }, () => control.start({ isAutomatic }));
  } catch (error) {
    const message = messageOf(error);
    log.error(`The local gateway couldn't start: ${message}`);
    void showErrorMessage(vscode.l10n.t("The local gateway couldn't start. {0}", message));
    return undefined;
  }
}

/** The gateway of another window of this VS Code, which knows the key that is stored for its profile. */
export async function joinOwnGateway(
  port: number,
  profiles: Profiles,
  vault: SecretVault,
): Promise<LocalGateway | undefined> {
  const { joinLocalGateway } = await import("../../../localGateway/service/joinLocalGateway.ts");
  return joinLocalGateway(port, async () => {
    const profile = findLocal(profiles.readRaw());
    const reading = profile === undefined ? undefined : await vault.read(profile, "apiKey");
    const credential = reading?.state === "present" ? reading.credential : undefined;
    return credential?.kind === "apiKey" ? credential.apiKey : undefined;
  });
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

/** Shows whether another window still runs it. */
export async function stopLocalGateway(control: LocalGatewayControl): Promise<void> {
  const isJoined = control.running?.ended !== undefined;
  await control.stop();
  showConfirmation(
    isJoined
      ? vscode.l10n.t("Another window still runs the local gateway. Its profile is kept.")
      : vscode.l10n.t("Local gateway stopped."),
  );
}
