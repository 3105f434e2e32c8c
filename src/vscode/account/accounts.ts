import * as vscode from "vscode";
import { inertText } from "../../core/kernel/foreignText.ts";
import { listSessions, sessionsBeside } from "../../core/account/accountSession.ts";
import { accountKind } from "../../core/account/credentialKinds.ts";
import type { AccountSession } from "../../core/account/accountSession.ts";
import { runSetCredential } from "./credentials/setCredentialCommand.ts";
import type { CredentialContext } from "./credentials/checkCredential.ts";
import { accountProviderId, accountScopes } from "./providerId.ts";

type ChangeEvent = vscode.AuthenticationProviderAuthenticationSessionsChangeEvent;

/**
 * Session tokens as VS Code accounts, one for each profile that has a token. The token itself isn't exposed to VS Code
 * or other extensions: it is sent only to the gateway that it was entered for.
 */
export class Accounts implements vscode.Disposable {
  readonly #context: CredentialContext;
  readonly #onDidChange: vscode.EventEmitter<ChangeEvent>;
  readonly #disposables: readonly vscode.Disposable[];
  #known: readonly AccountSession[] = [];
  #isOffered = false;

  constructor(context: CredentialContext, onDidChange: vscode.EventEmitter<ChangeEvent>) {
    this.#context = context;
    this.#onDidChange = onDidChange;
    const update = (): void => void this.#update();
    this.#disposables = [
      context.profiles.onDidChange(update),
      { dispose: context.vault.onDidChange(update) },
    ];
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }

  async list(): Promise<vscode.AuthenticationSession[]> {
    this.#known = await this.#read();
    return this.#known.map(createSession);
  }

  /** Asks for the token of the profile that lacks one, or of the active profile. */
  async signIn(): Promise<vscode.AuthenticationSession> {
    const { profiles } = this.#context;
    const before = await this.#read();
    const lacking = profiles.all.find(
      ({ name, gatewayCredential }) =>
        gatewayCredential === accountKind && !before.some(({ id }) => id === name),
    );
    const name = lacking?.name ?? profiles.active?.name;
    await runSetCredential(this.#context, accountKind, name);
    const session = (await this.#read()).find(({ id }) => id === (name ?? profiles.active?.name));
    if (session === undefined) throw new Error(vscode.l10n.t("No session token was set."));
    return createSession(session);
  }

  async signOut(profileName: string): Promise<void> {
    await this.#context.vault.remove(profileName, accountKind);
  }

  /** Adds “Sign in” to the Accounts menu while a profile that uses a session token has none. Never prompts. */
  async offerSignIn(): Promise<void> {
    const sessions = await this.#read();
    if (this.#isOffered || sessions.length > 0) return;
    this.#isOffered = true;
    await vscode.authentication.getSession(accountProviderId, accountScopes, { createIfNone: false });
  }

  async #read(): Promise<readonly AccountSession[]> {
    const { profiles, vault } = this.#context;
    return listSessions(await vault.list(), profiles.names);
  }

  async #update(): Promise<void> {
    const before = this.#known;
    const after = await this.#read();
    if (this.#known !== before) return;
    this.#known = after;
    if (JSON.stringify(after) === JSON.stringify(before)) return;
    const added = sessionsBeside(after, before);
    this.#onDidChange.fire({
      added: added.map(createSession),
      removed: sessionsBeside(before, after).map(createSession),
      changed: sessionsBeside(after, added).map(createSession),
    });
  }
}

function createSession({ id, label }: AccountSession): vscode.AuthenticationSession {
  // VS Code shows the label in its menus and messages.
  const account = { id, label: inertText(label, 200) };
  return { id, accessToken: `inferenceGateway:${id}`, account, scopes: accountScopes };
}
