import * as vscode from "vscode";
import { accountKind } from "../../core/account/credentialKinds.ts";
import { registerCommands } from "../shell/registerCommands.ts";
import type { Accounts } from "./accounts.ts";
import type { CredentialContext } from "./credentials/checkCredential.ts";
import { accountProviderId } from "./providerId.ts";
import type { StatusBarContext } from "./statusBar.ts";

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
        gatewayCredential === accountKind &&
        credentialSources?.[accountKind] === undefined,
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

/** Registers the status bar item with its menu. Both are loaded once the extension is active, not before. */
export function registerStatusBar(context: StatusBarContext): vscode.Disposable {
  let isDisposed = false;
  let statusBar: vscode.Disposable | undefined;
  const timer = setTimeout(() => {
    void import("./statusBar.ts").then(({ StatusBar }) => {
      if (!isDisposed) statusBar = new StatusBar(context);
    });
  });
  return vscode.Disposable.from(
    registerCommands("statusBar", {
      async showMenu() {
        const { showMenu } = await import("./menu.ts");
        await showMenu(context);
      },
    }),
    {
      dispose() {
        isDisposed = true;
        clearTimeout(timer);
        statusBar?.dispose();
      },
    },
  );
}
