import * as vscode from "vscode";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { secretKinds, credentialKinds } from "../../../core/account/credentialKinds.ts";

/**
 * Keeps the context keys of profiles and secrets up to date, so that the palette offers only commands that can be used.
 * Before the extension is activated, it isn't known whether there are secrets; `knowsSecrets` is set from then on.
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
    for (const kind of secretKinds) {
      setContext(
        `inferenceGateway.has${credentialKinds[kind].commandName}`,
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
