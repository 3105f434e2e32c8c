import * as vscode from "vscode";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { setContextKey } from "../../shell/contextKey.ts";

/**
 * Keeps the context keys of profiles and secrets up to date, so that the palette offers only commands that can be used.
 * Before the extension is activated, it isn't known whether there are secrets; `knowsSecrets` is set from then on.
 */
export function registerCredentialContextKeys(profiles: Profiles, vault: SecretVault): vscode.Disposable {
  let latest = 0;
  const update = async (): Promise<void> => {
    const round = ++latest;
    const secrets = await vault.list();
    if (round !== latest) return;
    setContextKey("inferenceGateway.knowsSecrets", true);
    setContextKey("inferenceGateway.hasProfile", profiles.all.length > 0);
    setContextKey("inferenceGateway.hasSecrets", secrets.length > 0);
  };
  const stopListening = vault.onDidChange(() => void update());
  const subscription = profiles.onDidChange(() => void update());
  void update();
  return vscode.Disposable.from(subscription, { dispose: stopListening });
}
