import * as vscode from "vscode";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import { openConsoleCommand } from "../../shell/commandIds.ts";
import { setContextKey } from "../../shell/contextKey.ts";
import { registerCommands } from "../../shell/registerCommands.ts";
import type { Profiles } from "../profiles/profiles.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { secretKinds } from "../../../core/account/credentialKinds.ts";

/** Registers the palette commands for credentials. */
export function registerCredentialCommands(context: CredentialContext): vscode.Disposable {
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    registerCommand(openConsoleCommand, async (profileName?: unknown) => {
      const { openConsole } = await import("./openConsole.ts");
      const { profiles } = context;
      const profile = typeof profileName === "string" ? profiles.find(profileName) : profiles.active;
      await openConsole(profile, profile?.inferenceBaseUrl === undefined ? "accessKey" : "apiKey");
    }),
    registerCommands("credentials", {
      async setCredential(kind: unknown, profileName: unknown) {
        const { chooseKind, runSetCredential } = await import("./setCredentialCommand.ts");
        const chosen = secretKinds.find((known) => known === kind) ?? (await chooseKind());
        const name = typeof profileName === "string" ? profileName : undefined;
        if (chosen !== undefined) await runSetCredential(context, chosen, name);
      },
      async manageCredentials() {
        const { manageCredentials } = await import("./manageCredentials.ts");
        await manageCredentials(context);
      },
      async signOut() {
        const { signOut } = await import("./removeCredentials.ts");
        await signOut(context);
      },
    }),
  );
}

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
