import * as vscode from "vscode";
import type { Ledger } from "../../core/responses/usage/ledger.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import { ClientFactory } from "./clientFactory.ts";
import { readNetworkSettings } from "./networkSettings.ts";
import { settings } from "./settings.ts";
import { showInformationMessage } from "./window.ts";

/** The clients as the settings and the state of this VS Code configure them. Loaded when the first one is needed. */
export function createConfiguredClients(
  { extension, globalState, globalStorageUri }: vscode.ExtensionContext,
  log: Log,
  vault: SecretVault,
  ledger: Ledger,
  onRefused: (profile: Profile, error: ErrorFacts) => void,
): ClientFactory {
  const { version }: { readonly version?: unknown } = extension.packageJSON;
  return new ClientFactory({
    // Our own name, because some content delivery networks reject the names of libraries.
    userAgent: `inference-gateway-vscode/${String(version)}`,
    nonceFolder: vscode.Uri.joinPath(globalStorageUri, "nonces").fsPath,
    log,
    vault,
    network: readNetworkSettings,
    timeoutMs: settings.requestTimeoutMs,
    maxAttempts: settings.maxAttempts,
    readingLimits: settings.readingLimits,
    habitMemory: {
      load: () => globalState.get("inferenceGateway.serverHabits"),
      save: (habits) => void globalState.update("inferenceGateway.serverHabits", habits),
    },
    onClockCorrected: (sentence) => void showInformationMessage(sentence),
    keepUsage: (port, profile) => ledger.keep(port, profile),
    keepRequest: (request, send) => ledger.keepRequest(request, send),
    onRefused,
  });
}
