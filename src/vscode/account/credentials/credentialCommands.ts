import * as vscode from "vscode";
import type { SecretKind } from "../../../core/kernel/credential.ts";
import { commandIds } from "../../shell/commandIds.ts";
import type { CredentialContext } from "./setCredentialCommand.ts";

const setCommands: readonly (readonly [string, SecretKind])[] = [
  [commandIds.setApiKey, "apiKey"],
  [commandIds.setAccessKey, "accessKey"],
  [commandIds.setSessionToken, "sessionToken"],
  [commandIds.setStsToken, "stsToken"],
];

const removeCommands: readonly (readonly [string, SecretKind])[] = [
  [commandIds.removeApiKey, "apiKey"],
  [commandIds.removeAccessKey, "accessKey"],
  [commandIds.removeSessionToken, "sessionToken"],
  [commandIds.removeStsToken, "stsToken"],
];

/** Registers what the palette offers for credentials, and for profiles that come or go with them. */
export function registerCredentialCommands(context: CredentialContext): vscode.Disposable {
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    ...setCommands.map(([id, kind]) =>
      registerCommand(id, async (profileName?: unknown) => {
        const { runSetCredential } = await import("./setCredentialCommand.ts");
        await runSetCredential(context, kind, typeof profileName === "string" ? profileName : undefined);
      }),
    ),
    ...removeCommands.map(([id, kind]) =>
      registerCommand(id, async () => {
        const { removeCredential } = await import("./removeCredentials.ts");
        await removeCredential(context, kind);
      }),
    ),
    registerCommand(commandIds.manageCredentials, async () => {
      const { manageCredentials } = await import("./manageCredentials.ts");
      await manageCredentials(context);
    }),
    registerCommand(commandIds.rotateCredential, async () => {
      const { chooseAndRotate } = await import("./rotateCredential.ts");
      await chooseAndRotate(context);
    }),
    registerCommand(commandIds.importProfiles, async () => {
      const { importProfiles } = await import("../profiles/importProfiles.ts");
      await importProfiles(context);
    }),
    registerCommand(commandIds.exportProfiles, async () => {
      const { exportProfiles } = await import("../profiles/exportProfiles.ts");
      await exportProfiles(context);
    }),
    registerCommand(commandIds.signOut, async () => {
      const { signOut } = await import("./removeCredentials.ts");
      await signOut(context);
    }),
  );
}
