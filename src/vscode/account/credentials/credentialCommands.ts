import * as vscode from "vscode";
import { commandIds, setCommand, removeCommand } from "../../shell/commandIds.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { secretKinds } from "../../../core/account/credentialKinds.ts";

/** Registers the palette commands for credentials, including those that add or remove profiles along with them. */
export function registerCredentialCommands(context: CredentialContext): vscode.Disposable {
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    ...secretKinds.map((kind) =>
      registerCommand(setCommand(kind), async (profileName?: unknown) => {
        const { runSetCredential } = await import("./setCredentialCommand.ts");
        await runSetCredential(context, kind, typeof profileName === "string" ? profileName : undefined);
      }),
    ),
    ...secretKinds.map((kind) =>
      registerCommand(removeCommand(kind), async () => {
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
