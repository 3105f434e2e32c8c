import * as vscode from "vscode";
import { assertNever } from "../../../core/kernel/assertNever.ts";
import type { Credential, SecretKind } from "../../../core/kernel/credential.ts";
import { readSecretInput } from "../../../core/account/secretInput.ts";
import { kindLabel } from "./credentialTexts.ts";
import { showInputBox } from "../../shell/window.ts";

/**
 * Asks for a credential behind masked, empty input boxes; undefined when the user turns away.
 * @param known The access key whose API secret alone is asked for.
 */
export async function askCredential(
  kind: SecretKind,
  profileName: string,
  origin: string,
  title = vscode.l10n.t("Set {0} of “{1}”", kindLabel(kind), profileName),
  known?: string,
): Promise<Credential | undefined> {
  const ask = (label: string, heading = title): Promise<string | undefined> =>
    askSecret(heading, vscode.l10n.t("{0} for {1}", label, origin), "sent");
  switch (kind) {
    case "apiKey": {
      const apiKey = await ask(vscode.l10n.t("API key"));
      return apiKey === undefined ? undefined : { kind, apiKey };
    }
    case "accessKey": {
      const accessKey = known ?? (await ask(vscode.l10n.t("Access Key"), `${title} (1/2)`));
      if (accessKey === undefined) return undefined;
      const prompt = vscode.l10n.t("API secret for this access key ({0})", origin);
      const apiSecret = await askSecret(`${title} (2/2)`, prompt, "signs");
      return apiSecret === undefined ? undefined : { kind, accessKey, apiSecret };
    }
    case "sessionToken":
    case "stsToken": {
      const token = await ask(kindLabel(kind));
      return token === undefined ? undefined : { kind, token };
    }
    default:
      return assertNever(kind);
  }
}

async function askSecret(title: string, prompt: string, use: "sent" | "signs"): Promise<string | undefined> {
  const input = await showInputBox({
    title,
    prompt,
    password: true,
    ignoreFocusOut: true,
    validateInput(value) {
      const reading = readSecretInput(value, use);
      return "problem" in reading ? reading.problem : undefined;
    },
  });
  if (input === undefined) return undefined;
  const reading = readSecretInput(input, use);
  return "text" in reading ? reading.text : undefined;
}
