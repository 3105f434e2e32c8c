import * as vscode from "vscode";
import type { CredentialContext } from "./credentials/checkCredential.ts";
import type { Accounts } from "./accounts.ts";
import { accountProviderId } from "./providerId.ts";

/**
 * Registers the session tokens with VS Code's Accounts menu. The provider is loaded when VS Code requests it, or when a
 * profile lacks its token.
 */
export function registerAccounts(context: CredentialContext): vscode.Disposable {
  const onDidChange =
    new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>();
  let accounts: Promise<Accounts> | undefined;
  const load = (): Promise<Accounts> => {
    accounts ??= import("./accounts.ts").then(({ Accounts }) => new Accounts(context, onDidChange));
    return accounts;
  };
  const offer = async (): Promise<void> => {
    const isWanted = context.profiles.all.some(
      ({ gatewayUrl, gatewayCredential, credentialSources }) =>
        gatewayUrl !== undefined &&
        gatewayCredential === "sessionToken" &&
        credentialSources?.sessionToken === undefined,
    );
    if (isWanted) await (await load()).offerSignIn();
  };
  const timer = setTimeout(() => void offer());
  return vscode.Disposable.from(
    onDidChange,
    vscode.authentication.registerAuthenticationProvider(
      accountProviderId,
      "Inference Gateway",
      {
        onDidChangeSessions: onDidChange.event,
        getSessions: async () => (await load()).list(),
        createSession: async () => (await load()).signIn(),
        removeSession: async (id) => (await load()).signOut(id),
      },
      { supportsMultipleAccounts: true },
    ),
    context.profiles.onDidChange(() => void offer()),
    {
      dispose() {
        clearTimeout(timer);
        void accounts?.then((loaded) => loaded.dispose());
      },
    },
  );
}
