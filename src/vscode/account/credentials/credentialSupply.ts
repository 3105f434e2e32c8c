import * as vscode from "vscode";
import { credentialKinds, secretKinds } from "../../../core/account/credentialKinds.ts";
import { formatSource } from "../../../core/account/formatSource.ts";
import type { CredentialSource } from "../../../core/account/credentialSource.ts";
import type { SecretResult } from "../../../core/account/credentialState.ts";
import type { Redaction } from "../../../core/account/redaction.ts";
import { supplyRequest } from "../../../core/account/secretVault.ts";
import type { CredentialSupplier } from "../../../core/account/secretVault.ts";
import { SuppliedCredentials, supplyName } from "../../../core/account/suppliedCredentials.ts";
import type { SuppliedFacts, SupplyRequest } from "../../../core/account/suppliedCredentials.ts";
import type { Credential } from "../../../core/kernel/credential.ts";
import { stringsIn } from "../../../core/kernel/json.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { readCredentialSource, watchSourceFile } from "../../../processes/account/readCredentialSource.ts";
import { sha256Hex } from "../../shell/digest.ts";
import { confirmRisk } from "../../shell/window.ts";
import type { Profiles } from "../profiles/profiles.ts";

interface CredentialSupplyContext {
  readonly profiles: Profiles;
  readonly redaction: Redaction;
  readonly log: Log;
  readonly globalState: vscode.Memento;
  /** Called when a source that failed may work now. */
  onSourceChanged(profileName: string): void;
}

/** Hashes of the sources that the user has allowed, each with its destination. Never the sources themselves. */
const allowedKey = "inferenceGateway.allowedCredentialSources";
const mostAllowed = 200;

/** Gets credentials from the commands, files and variables in the user's profiles, once the user has allowed each. */
export class CredentialSupply implements CredentialSupplier, vscode.Disposable {
  readonly #context: CredentialSupplyContext;
  readonly #supplies: SuppliedCredentials;
  readonly #ended = new AbortController();
  readonly #questions = new Map<string, Promise<boolean>>();
  readonly #declined = new Set<string>();
  /** What waits for the window to be focused, to ask the user. */
  readonly #unasked = new Map<string, string>();
  readonly #failing = new Set<string>();
  /** Each stops watching a file. */
  readonly #files = new Map<string, () => void>();
  readonly #disposables: readonly vscode.Disposable[];

  constructor(context: CredentialSupplyContext) {
    this.#context = context;
    const { redaction, log, profiles } = context;
    this.#supplies = new SuppliedCredentials({
      confirm: (request) => this.#confirm(request),
      read: (request) => readCredentialSource(request, { signal: this.#ended.signal }),
      remember: (secret) => redaction.remember(secret),
      log: (line) => log.info(line),
      now: () => Date.now(),
    });
    this.#disposables = [
      vscode.window.onDidChangeWindowState(({ focused }) => {
        if (focused) this.#askNow();
      }),
      profiles.onDidChange(() => this.#forgetOld()),
    ];
  }

  async obtain(request: SupplyRequest, refused?: Credential): Promise<SecretResult> {
    const name = supplyName(request);
    // Not even the existence of a file is checked before the user has allowed it.
    if (request.source.from === "file" && (await this.#confirm(request)))
      this.#watch(request, request.source.path);
    const result = await this.#supplies.obtain(request, refused);
    if (result.state === "present" && refused === undefined) this.#failing.delete(name);
    else this.#failing.add(name);
    return result;
  }

  async allow(request: SupplyRequest): Promise<SecretResult> {
    this.#declined.delete(supplyName(request));
    this.#supplies.invalidate(request);
    const result = await this.obtain(request);
    if (result.state === "present") this.#context.onSourceChanged(request.profileName);
    return result;
  }

  facts(request: SupplyRequest): Promise<SuppliedFacts | undefined> {
    return Promise.resolve(this.#supplies.facts(request));
  }

  dispose(): void {
    this.#ended.abort();
    for (const stop of this.#files.values()) stop();
    for (const disposable of this.#disposables) disposable.dispose();
  }

  /** Concurrent requests share one dialog. An unfocused window asks once it is focused. */
  #confirm(request: SupplyRequest): Promise<boolean> {
    const name = supplyName(request);
    if (this.#allowed.includes(sha256Hex(name))) return Promise.resolve(true);
    if (this.#declined.has(name)) return Promise.resolve(false);
    if (!vscode.window.state.focused) {
      this.#unasked.set(name, request.profileName);
      return Promise.resolve(false);
    }
    const question =
      this.#questions.get(name) ?? this.#ask(request, name).finally(() => this.#questions.delete(name));
    this.#questions.set(name, question);
    return question;
  }

  async #ask(request: SupplyRequest, name: string): Promise<boolean> {
    const { source, kind, profileName, origin } = request;
    const isAllowed = await confirmRisk({
      question: questionFor(source, credentialKinds[kind].noun(), profileName),
      detail: detailFor(source, origin),
      accept: vscode.l10n.t("Allow"),
      decline: vscode.l10n.t("Don't Allow"),
    });
    if (!isAllowed) {
      this.#declined.add(name);
      return false;
    }
    const allowed = [...this.#allowed, sha256Hex(name)].slice(-mostAllowed);
    await this.#context.globalState.update(allowedKey, allowed);
    return true;
  }

  get #allowed(): readonly string[] {
    const value: unknown = this.#context.globalState.get(allowedKey);
    return stringsIn(value);
  }

  #askNow(): void {
    const names = new Set(this.#unasked.values());
    this.#unasked.clear();
    for (const profileName of names) this.#context.onSourceChanged(profileName);
  }

  /** Notices a changed file before it is needed, so that failed requests are tried again. */
  #watch(request: SupplyRequest, path: string): void {
    const name = supplyName(request);
    if (this.#files.has(name)) return;
    const onChange = (): void => {
      this.#supplies.invalidate(request);
      if (this.#failing.has(name)) this.#context.onSourceChanged(request.profileName);
    };
    this.#files.set(name, watchSourceFile(path, onChange));
  }

  /** Sources that the profiles no longer name are forgotten at once. */
  #forgetOld(): void {
    const requests = this.#context.profiles.all.flatMap((profile) =>
      secretKinds.flatMap((kind) => supplyRequest(profile, kind) ?? []),
    );
    const names = new Set(requests.map(supplyName));
    this.#supplies.keepOnly(names);
    for (const [name, stop] of this.#files) {
      if (names.has(name)) continue;
      stop();
      this.#files.delete(name);
    }
  }
}

function questionFor({ from }: CredentialSource, noun: string, profileName: string): string {
  switch (from) {
    case "command":
      return vscode.l10n.t("Run this command to get the {0} for the profile “{1}”?", noun, profileName);
    case "file":
      return vscode.l10n.t("Read the {0} for the profile “{1}” from this file?", noun, profileName);
    case "variable":
      return vscode.l10n.t(
        "Read the {0} for the profile “{1}” from this environment variable?",
        noun,
        profileName,
      );
  }
}

/** The exact source, since it is what is being confirmed. */
function detailFor(source: CredentialSource, origin: string): string {
  const destination =
    source.from === "command"
      ? vscode.l10n.t(
          "It runs on this machine without a shell, and again whenever the credential expires. Its output is sent only to {0}.",
          origin,
        )
      : vscode.l10n.t("It is read whenever the credential is needed, and sent only to {0}.", origin);
  return `${formatSource(source)}\n\n${destination}`;
}
