import * as vscode from "vscode";
import {
  createCredential,
  credentialKinds,
  credentialParts,
  partFacts,
} from "../../../core/account/credentialKinds.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { parseExpiry, readSecretInput } from "../../../core/account/secretInput.ts";
import type { Credential, CredentialPart, SecretKind } from "../../../core/kernel/credential.ts";
import { showInputBox, showSecretInput } from "../../shell/window.ts";
import { consolePath, createKeyButtons, openConsole } from "./openConsole.ts";

type AskedProfile = Pick<Profile, "name" | "consoleUrl">;

/** Named, because each of them is a text, and one may be a secret. */
interface AskOptions {
  /** Says why the credential is required, in place of the usual title. */
  readonly title?: string;
  /** The access key that is used if the user leaves its box empty. */
  readonly kept?: string | undefined;
}

/** Asks for a credential in masked, empty input boxes. Undefined if the user cancels. */
export async function askCredential(
  kind: SecretKind,
  profile: AskedProfile,
  origin: string,
  {
    title = vscode.l10n.t("Set {0} for “{1}”", credentialKinds[kind].label(), profile.name),
    kept,
  }: AskOptions,
): Promise<Credential | undefined> {
  const parts = credentialParts(kind);
  const texts = new Map<CredentialPart, string>();
  for (const [index, part] of parts.entries()) {
    const facts = partFacts(kind, part);
    const heading = parts.length === 1 ? title : `${title} (${index + 1}/${parts.length})`;
    const text = await askSecret(profile, kind, heading, {
      prompt: facts?.prompt(origin) ?? origin,
      use: facts?.use,
      kept: index === 0 ? kept : undefined,
    });
    if (text === undefined) return undefined;
    texts.set(part, text);
  }
  return createCredential(kind, (part) => texts.get(part));
}

async function askSecret(
  profile: AskedProfile,
  kind: SecretKind,
  title: string,
  {
    prompt,
    use,
    kept,
  }: {
    readonly prompt: string;
    readonly use: "sent" | "signs" | undefined;
    readonly kept: string | undefined;
  },
): Promise<string | undefined> {
  const buttons = createKeyButtons(profile, kind);
  const path = consolePath(kind);
  const where =
    buttons.length === 0 || path === undefined ? "" : ` · ${vscode.l10n.t("In the console: {0}", path)}`;
  const keep = kept === undefined ? "" : ` · ${vscode.l10n.t("Leave empty to keep the previous one")}`;
  const problemOf = (value: string): string | undefined => {
    if (kept !== undefined && value.trim() === "") return undefined;
    const reading = readSecretInput(value, use);
    return "problem" in reading ? reading.problem : undefined;
  };
  const input = await showSecretInput({ title, prompt: `${prompt}${where}${keep}` }, problemOf, {
    buttons,
    onButton: () => void openConsole(profile, kind),
  });
  if (input === undefined) return undefined;
  if (kept !== undefined && input.trim() === "") return kept;
  const reading = readSecretInput(input, use);
  return "text" in reading ? reading.text : undefined;
}

/** Asks for the expiry of a token that doesn't contain it. Undefined if the user cancels. */
export async function askExpiry(
  kind: SecretKind,
  profileName: string,
): Promise<{ readonly expiresAt: number | undefined } | undefined> {
  const text = await showInputBox({
    title: vscode.l10n.t("When does the {0} for “{1}” expire?", credentialKinds[kind].noun(), profileName),
    prompt: vscode.l10n.t("A duration or a time. Leave empty if unknown."),
    placeHolder: vscode.l10n.t("55m, 14:30, or 2026-11-21 14:30"),
    ignoreFocusOut: true,
    validateInput(value) {
      if (value.trim() === "") return undefined;
      const reading = parseExpiry(value, Date.now());
      return "problem" in reading ? reading.problem : undefined;
    },
  });
  if (text === undefined) return undefined;
  const reading = parseExpiry(text, Date.now());
  return { expiresAt: "expiresAt" in reading ? reading.expiresAt : undefined };
}
