import type * as vscode from "vscode";
import { Redaction } from "../../../../src/core/account/redaction.ts";
import { SecretVault } from "../../../../src/core/account/secretVault.ts";
import type { Log } from "../../../../src/core/kernel/log.ts";
import { createSecretIndex } from "../../../../src/vscode/account/credentials/secretStorage.ts";
import { Profiles } from "../../../../src/vscode/account/profiles/profiles.ts";

export const silent: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

/** The profiles and credentials that the extension under test also uses. */
export class TestAccount {
  readonly profiles: Profiles;
  readonly vault: SecretVault;

  constructor(context: vscode.ExtensionContext) {
    const { secrets, globalState } = context;
    this.profiles = new Profiles(silent, context);
    this.vault = new SecretVault({
      store: secrets,
      index: createSecretIndex(globalState),
      redaction: new Redaction(),
      now: () => Date.now(),
    });
  }

  /** Removes all profiles, and the credentials of the one with this name. */
  async remove(name: string): Promise<void> {
    await this.profiles.writeRaw([]);
    await this.profiles.select("");
    await this.vault.wipe(name);
    this.profiles.dispose();
    this.vault.dispose();
  }
}
