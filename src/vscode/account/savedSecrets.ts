import * as vscode from "vscode";
import { credentialLabel } from "../../core/account/credentialRow.ts";
import { secretKinds, secretTexts } from "../../core/account/credentialKinds.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import { placesOf, replaceWithVariable, secretVariable } from "../../core/account/secretVariable.ts";
import type { SecretKind } from "../../core/kernel/credential.ts";
import { stringsIn } from "../../core/kernel/json.ts";
import { sha256Hex } from "../shell/digest.ts";
import { showConfirmation, showErrorMessage, showWarningMessage } from "../shell/window.ts";
import type { Profiles } from "./profiles/profiles.ts";

interface SavedSecretsContext {
  readonly profiles: Profiles;
  readonly vault: SecretVault;
  readonly globalState: vscode.Memento;
}

interface KnownSecret {
  readonly text: string;
  readonly profileName: string;
  readonly kind: SecretKind;
}

const warnedKey = "inferenceGateway.warnedSecretFiles";
const mostWarned = 500;
/** UTF-16 code units of a file that are searched. */
const longestText = 2_000_000;
/** A shorter secret can't be distinguished from an ordinary word. */
const shortestSecret = 8;

/** Warns once for each file and secret when a document that contains a stored secret is saved. */
export class SavedSecrets implements vscode.Disposable {
  readonly #context: SavedSecretsContext;
  readonly #stopListening: () => void;
  #known: Promise<readonly KnownSecret[]> | undefined;

  constructor(context: SavedSecretsContext) {
    this.#context = context;
    this.#stopListening = context.vault.onDidChange(() => (this.#known = undefined));
  }

  async check(document: vscode.TextDocument): Promise<void> {
    this.#known ??= this.#read();
    const known = await this.#known;
    if (known.length === 0 || document.isClosed) return;
    const text = document.getText().slice(0, longestText);
    for (const secret of known) {
      if (!text.includes(secret.text)) continue;
      const mark = sha256Hex(JSON.stringify([document.uri.toString(), secret.text]));
      if (this.#warned.includes(mark)) continue;
      await this.#context.globalState.update(warnedKey, [...this.#warned, mark].slice(-mostWarned));
      await warn(document, secret);
    }
  }

  dispose(): void {
    this.#stopListening();
  }

  get #warned(): readonly string[] {
    const value: unknown = this.#context.globalState.get(warnedKey);
    return stringsIn(value);
  }

  async #read(): Promise<readonly KnownSecret[]> {
    const { profiles, vault } = this.#context;
    const known: KnownSecret[] = [];
    for (const profile of profiles.all) {
      for (const kind of secretKinds) {
        const reading = await vault.read(profile, kind);
        if (reading.state !== "present") continue;
        // The access key alone isn't secret: the console shows it.
        const text = secretTexts(reading.credential).at(-1) ?? "";
        if (text.length >= shortestSecret) known.push({ text, profileName: profile.name, kind });
      }
    }
    return known;
  }
}

async function warn(
  document: vscode.TextDocument,
  { text: secret, profileName, kind }: KnownSecret,
): Promise<void> {
  const replace = vscode.l10n.t("Replace with Variable");
  const label = credentialLabel({ profileName, kind, slot: "current" });
  const name = document.uri.path.split("/").at(-1) ?? "";
  const message = vscode.l10n.t(
    "“{0}” was saved with a secret in it: {1} of the profile “{2}”. Anyone who gets the file can use it.",
    name,
    label,
    profileName,
  );
  if ((await showWarningMessage(message, replace)) !== replace) return;
  const variable = secretVariable(profileName, kind);
  // The text may have changed since it was saved.
  const text = document.getText().slice(0, longestText);
  const places = placesOf(text, secret);
  const edit = new vscode.WorkspaceEdit();
  for (const place of places) {
    const { start, end, text: replacement } = replaceWithVariable(text, place, document.languageId, variable);
    const range = new vscode.Range(document.positionAt(start), document.positionAt(end));
    edit.replace(document.uri, range, replacement);
  }
  if (places.length === 0) return;
  if (!(await vscode.workspace.applyEdit(edit)))
    return void showErrorMessage(vscode.l10n.t("{0} can't be changed.", name));
  if (!(await document.save()))
    return void showErrorMessage(
      vscode.l10n.t("{0} couldn't be saved, so the file still contains the secret.", name),
    );
  showConfirmation(
    vscode.l10n.t(
      "Replaced with {0}. Set this environment variable where the file is used, and rotate the secret if the file was shared.",
      variable,
    ),
  );
}
