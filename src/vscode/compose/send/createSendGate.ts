import * as vscode from "vscode";
import { secretKinds } from "../../../core/account/credentialKinds.ts";
import type { Redaction } from "../../../core/account/redaction.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import { guardCompletion } from "../../../core/compose/send/guardedPorts.ts";
import { distinctFindings } from "../../../core/compose/send/secretFinding.ts";
import type { SecretFinding } from "../../../core/account/secrets/secretValue.ts";
import { SendGate } from "../../../core/compose/send/sendGate.ts";
import type { SendGateContext } from "../../../core/compose/send/sendGate.ts";
import type { SendChoice, SendQuestion } from "../../../core/compose/send/sendQuestion.ts";
import type { CompletionPort } from "../../../core/conversation/completion.ts";
import { ServiceError } from "../../../core/kernel/errors.ts";
import type { Ledger } from "../../../core/responses/usage/ledger.ts";
import type { Profiles } from "../../account/profiles/profiles.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";
import { createPause } from "../../shell/pause.ts";
import { showWarningMessage } from "../../shell/window.ts";

interface SecretFinderContext {
  readonly redaction: Redaction;
  readonly vault: SecretVault;
  readonly profiles: Profiles;
}

/** UTF-16 code units of the texts whose findings are cached. */
const maxScannedLength = 32_000_000;
/** Finds secrets in what is about to be sent: our own credentials, and what looks like one of someone else's. */
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
    void import("../../../core/account/secrets/scanSecrets.ts").catch(() => undefined);
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
    const { findAllSecrets } = await import("../../../core/account/secrets/scanSecrets.ts");
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
    // What can't be read is read again for the next message; this one isn't sent.
    this.#own.catch(() => (this.#own = undefined));
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

/**
 * Wraps the port for requests that no chat shows: everything that is sent passes the guard for secrets, which asks in a
 * dialog. A request that the user rejects fails with a sentence.
 */
export function guardWithDialog(port: CompletionPort, gate: SendGate): CompletionPort {
  return guardCompletion(port, async (request, isStopped) => {
    const passed = await gate.passRequest(request, askInDialog, isStopped, vscode.l10n.t("a message"));
    if (passed !== undefined || isStopped()) return passed;
    throw new ServiceError({
      reason: "configuration",
      message: vscode.l10n.t("Nothing was sent, because the request contains what looks like a secret."),
    });
  });
}

/** There is no page to hold the request in, so the question is a dialog. */
async function askInDialog({ message, facts, choices }: SendQuestion): Promise<SendChoice> {
  const detail = facts.map(({ label, value }) => `${label}: ${value}`).join("\n");
  const offered = choices.filter(({ id }) => id !== "cancel");
  const labels = offered.map(({ label }) => label);
  const picked = await showWarningMessage(message, { modal: true, detail }, ...labels);
  return offered.find(({ label }) => label === picked)?.id ?? "cancel";
}
