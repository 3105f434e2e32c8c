import * as vscode from "vscode";
import type { Credential, SecretKind, CredentialPart } from "../../../core/kernel/credential.ts";
import { readSecretInput } from "../../../core/account/secretInput.ts";
import { showInputBox } from "../../shell/window.ts";
import {
  credentialKinds,
  credentialParts,
  partFacts,
  createCredential,
} from "../../../core/account/credentialKinds.ts";

/**
 * Asks for a credential in masked, empty input boxes. Undefined if the user cancels.
 * @param known The access key for which only the API secret is requested.
 */
export async function askCredential(
  kind: SecretKind,
  profileName: string,
  origin: string,
  title = vscode.l10n.t("Set {0} for “{1}”", credentialKinds[kind].label(), profileName),
  known?: string,
): Promise<Credential | undefined> {
  const parts = credentialParts(kind);
  const texts = new Map<CredentialPart, string>();
  for (const [index, part] of parts.entries()) {
    const facts = partFacts(kind, part);
    const isKnown = index === 0 && known !== undefined;
    const heading = parts.length === 1 ? title : `${title} (${index + 1}/${parts.length})`;
    const text = isKnown ? known : await askSecret(heading, facts?.prompt(origin) ?? origin, facts?.use);
    if (text === undefined) return undefined;
    texts.set(part, text);
  }
  return createCredential(kind, (part) => texts.get(part));
}

async function askSecret(title: string, prompt: string, use?: "sent" | "signs"): Promise<string | undefined> {
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
