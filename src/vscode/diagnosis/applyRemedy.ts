import * as vscode from "vscode";
import { assertNever } from "../../core/kernel/assertNever.ts";
import type { SecretKind } from "../../core/kernel/credential.ts";
import type { Remedy } from "../../core/diagnosis/diagnosis.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { Profiles } from "../account/profiles/profiles.ts";

const setCommands: Readonly<Record<SecretKind, string>> = {
  apiKey: commandIds.setApiKey,
  accessKey: commandIds.setAccessKey,
  sessionToken: commandIds.setSessionToken,
  stsToken: commandIds.setStsToken,
};

/** Does what the report offered. False where a dialog of its own tells the user how it went. */
export async function applyRemedy(remedy: Remedy, profiles: Profiles): Promise<boolean> {
  switch (remedy.kind) {
    case "profile":
      await profiles.put({ name: remedy.profileName, ...remedy.change });
      return true;
    case "credential":
      await vscode.commands.executeCommand(setCommands[remedy.secret], remedy.profileName);
      return false;
    case "noProxy": {
      const http = vscode.workspace.getConfiguration("http");
      const known: unknown = http.get("noProxy");
      const entries: readonly unknown[] = Array.isArray(known) ? known : [];
      await http.update("noProxy", [...entries, remedy.host], vscode.ConfigurationTarget.Global);
      return true;
    }
    case "setting":
      await vscode.workspace
        .getConfiguration()
        .update(remedy.name, remedy.value, vscode.ConfigurationTarget.Global);
      return true;
    default:
      return assertNever(remedy);
  }
}
