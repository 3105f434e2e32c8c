import * as vscode from "vscode";
import type { Redaction } from "../../../core/redaction.ts";
import { secretKinds } from "../../../core/secretEntry.ts";
import type { SecretVault } from "../../../core/secretVault.ts";
import { distinctFindings } from "../../../core/send/secretFinding.ts";
import type { SecretFinding } from "../../../core/send/secretFinding.ts";
import type { Profiles } from "../../profiles/profiles.ts";

export interface SecretFinderContext {
  readonly redaction: Redaction;
  readonly vault: SecretVault;
  readonly profiles: Profiles;
}

/** Finds secrets in what is about to be sent: our own credentials, and what the rules of secretlint and our own know. */
export class SecretFinder {
  readonly #context: SecretFinderContext;
  #own: Promise<unknown> | undefined;

  constructor(context: SecretFinderContext) {
    this.#context = context;
  }

  /** Loads the rules and reads our own credentials, so that the first message doesn't wait for it. */
  prepare(): void {
    void import("../../../secretScan/findAllSecrets.ts").catch(() => undefined);
    void this.#readOwn().catch(() => undefined);
  }

  async find(text: string): Promise<readonly SecretFinding[]> {
    const { findAllSecrets } = await import("../../../secretScan/findAllSecrets.ts");
    await this.#readOwn();
    const own = this.#context.redaction
      .find(text)
      .map((value) => ({ kind: vscode.l10n.t("credential of this extension"), value }));
    return distinctFindings([...own, ...(await findAllSecrets(text))]);
  }

  /** Whatever the vault gives out, the redaction knows from then on. */
  #readOwn(): Promise<unknown> {
    const { profiles, vault } = this.#context;
    this.#own ??= Promise.all(
      profiles.all.flatMap((profile) => secretKinds.map((kind) => vault.read(profile, kind))),
    );
    return this.#own;
  }
}
