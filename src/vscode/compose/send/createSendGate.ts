import * as vscode from "vscode";
import type { Redaction } from "../../../core/account/redaction.ts";
import { secretKinds } from "../../../core/account/credentialKinds.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import { distinctFindings } from "../../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../../core/compose/send/secretFinding.ts";
import { SendGate } from "../../../core/compose/send/sendGate.ts";
import type { SendGateContext } from "../../../core/compose/send/sendGate.ts";
import type { Ledger } from "../../../core/responses/usage/ledger.ts";
import type { Profiles } from "../../account/profiles/profiles.ts";
import { createPause } from "../../shell/pause.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";

interface SecretFinderContext {
  readonly redaction: Redaction;
  readonly vault: SecretVault;
  readonly profiles: Profiles;
}

/** UTF-16 code units of the texts whose findings are cached. */
const maxScannedLength = 32_000_000;
/**
 * Finds secrets in what is about to be sent: our own credentials, and anything found by the rules of secretlint and our
 * own.
 */
export class SecretFinder {
  readonly #context: SecretFinderContext;
  #own: Promise<unknown> | undefined;
  readonly #scanned = new Map<string, readonly SecretFinding[]>();
  #scannedLength = 0;
  /** Thousands of messages are scanned in slices. */
  readonly #pause = createPause();

  constructor(context: SecretFinderContext) {
    this.#context = context;
  }

  /** Loads the rules and our own credentials ahead of time, so that the first message doesn't have to wait. */
  prepare(): void {
    void import("../../../workers/account/findAllSecrets.ts").catch(() => undefined);
    void this.#readOwn().catch(() => undefined);
  }

  async find(text: string): Promise<readonly SecretFinding[]> {
    await this.#readOwn();
    await this.#pause();
    const own = this.#context.redaction
      .find(text)
      .map((value) => ({ kind: vscode.l10n.t("credential of this extension"), value }));
    return distinctFindings([...own, ...(await this.#findByRules(text))]);
  }

  /** Every request repeats the earlier messages of a conversation, so each of them is scanned only once. */
  async #findByRules(text: string): Promise<readonly SecretFinding[]> {
    const known = this.#scanned.get(text);
    if (known !== undefined) return known;
    const { findAllSecrets } = await import("../../../workers/account/findAllSecrets.ts");
    const findings = await findAllSecrets(text, this.#pause);
    if (this.#scannedLength > maxScannedLength) {
      this.#scanned.clear();
      this.#scannedLength = 0;
    }
    this.#scanned.set(text, findings);
    this.#scannedLength += text.length;
    return findings;
  }

  /** Any secret that the vault returns is added to the redaction. */
  #readOwn(): Promise<unknown> {
    const { profiles, vault } = this.#context;
    this.#own ??= Promise.all(
      profiles.all.flatMap((profile) => secretKinds.map((kind) => vault.read(profile, kind))),
    );
    return this.#own;
  }
}

/** Milliseconds until the usage records are opened for the first message: the page is shown first. */
const ledgerDelayMs = 200;

/** Creates the gate that checks messages before they are sent, according to the user's settings. */
export function createSendGate(secrets: SecretFinder, ledger: () => Promise<Ledger>): SendGate {
  return new SendGate({
    secretGuard: chatSettings.secretGuard,
    whenTooLong: chatSettings.whenTooLong,
    prepare() {
      secrets.prepare();
      setTimeout(() => void ledger().then((opened) => opened.prepare()), ledgerDelayMs).unref();
    },
    findSecrets: (text) => secrets.find(text),
    readBudget: () => readSpending(ledger),
    locale: vscode.env.language,
  });
}

/** The budget in the settings and what was spent; undefined if no budget is set. */
async function readSpending(ledger: () => Promise<Ledger>): ReturnType<SendGateContext["readBudget"]> {
  const budget = chatSettings.budget();
  if (budget === undefined) return undefined;
  return { budget, spent: await (await ledger()).spent() };
}
