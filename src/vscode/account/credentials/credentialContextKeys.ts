import * as vscode from "vscode";
import type { SecretKind } from "../../../core/kernel/credential.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import type { Profiles } from "../profiles/profiles.ts";

const secretContextKeys: readonly (readonly [string, SecretKind])[] = [
  ["inferenceGateway.hasApiKey", "apiKey"],
  ["inferenceGateway.hasAccessKey", "accessKey"],
  ["inferenceGateway.hasSessionToken", "sessionToken"],
  ["inferenceGateway.hasStsToken", "stsToken"],
];

/**
 * Keeps the context keys of profiles and secrets right, so that nothing dead is offered in the palette. Until the
 * extension is activated nobody knows whether there are secrets: `knowsSecrets` tells that time from the one after.
 */
export function registerCredentialContextKeys(profiles: Profiles, vault: SecretVault): vscode.Disposable {
  let latest = 0;
  const update = async (): Promise<void> => {
    const round = ++latest;
    const [secrets, isEmpty] = await Promise.all([vault.list(profiles.names), vault.isEmpty(profiles.names)]);
    if (round !== latest) return;
    setContext("inferenceGateway.knowsSecrets", true);
    setContext("inferenceGateway.hasProfile", profiles.all.length > 0);
    setContext("inferenceGateway.hasSecrets", !isEmpty);
    for (const [key, kind] of secretContextKeys) {
      setContext(
        key,
        secrets.some((secret) => secret.kind === kind),
      );
    }
  };
  const stopListening = vault.onDidChange(() => void update());
  const subscription = profiles.onDidChange(() => void update());
  void update();
  return vscode.Disposable.from(subscription, { dispose: stopListening });
}

function setContext(key: string, value: boolean): void {
  void vscode.commands.executeCommand("setContext", key, value);
}
