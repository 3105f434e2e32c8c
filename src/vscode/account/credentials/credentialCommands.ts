import * as vscode from "vscode";
import { openConsoleCommand } from "../../shell/commandIds.ts";
import { registerCommands } from "../../shell/registerCommands.ts";
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
