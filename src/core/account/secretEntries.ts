import type { Credential, SecretKind } from "../kernel/credential.ts";
import type { Redaction } from "./redaction.ts";
import { isRecord, numberField, parseJson, stringField } from "../kernel/json.ts";
import { originOf } from "../kernel/httpAddress.ts";
import type { Profile } from "./profile.ts";
import { secretKinds, isGatewayKind, createCredential, secretTexts } from "./credentialKinds.ts";

/** The ports of the stored secrets. Each secret is made known to the redaction before anyone else receives it. */
export interface SecretEntriesContext {
  readonly store: SecretStore;
  readonly index: SecretIndex;
  readonly redaction: Redaction;
}

/**
 * The entries of the secret storage by key, with an index of the keys. Every secret that is read is redacted from then
 * on.
 */
export class SecretEntries {
  readonly #store: SecretStore;
  readonly #index: SecretIndex;
  readonly #redaction: Redaction;
  /**
   * The last value of each key that this window wrote or was notified of, to distinguish another window's change from
   * the echo of its own. Reading a value doesn't count: a change may be read before the notification arrives, which
   * must still reset everything that was loaded with the earlier value.
   */
  readonly #seen = new Map<string, string | undefined>();

  constructor({ store, index, redaction }: SecretEntriesContext) {
    this.#store = store;
    this.#index = index;
    this.#redaction = redaction;
  }

  /** Reads the entry for use. `lost` means that it has disappeared without being deleted. */
  async read(key: string, kind: SecretKind): Promise<SecretEntry | "missing" | "lost" | "unreadable"> {
    const text = await this.#store.get(key);
    if (text === undefined) return this.#index.read(key) !== undefined ? "lost" : "missing";
    const entry = parseSecretEntry(text, kind);
    if (entry !== undefined) this.#redact(entry.credential);
    return entry ?? "unreadable";
  }

  /** Resolves when the credential is stored. Rejects if the secret storage fails. */
  async put(key: string, entry: SecretEntry): Promise<void> {
    this.#redact(entry.credential);
    const text = formatSecretEntry(entry);
    // The index is written first: a crash in between leaves a name without a secret, never a secret without a name.
    await this.#index.write(key, this.#index.read(key) ?? 0);
    this.#seen.set(key, text);
    await this.#store.store(key, text);
  }

  /** Deletes the credential and then its name. It is fine if there is none. */
  async delete(key: string): Promise<void> {
    this.#seen.set(key, undefined);
    await this.#store.delete(key);
    await this.#index.write(key, undefined);
  }

  /** All keys that may exist: those in the storage, and those in the index. */
  async keys(): Promise<readonly string[]> {
    return [...new Set([...this.#index.keys(), ...(await this.#store.keys())])];
  }

  /** Whether a change reported by the storage comes from another window. Our own changes are echoed too. */
  async takeChange(key: string): Promise<boolean> {
    const text = await this.#store.get(key);
    if (this.#seen.has(key) && this.#seen.get(key) === text) return false;
    this.#seen.set(key, text);
    if (text === undefined) await this.#index.write(key, undefined);
    return true;
  }

  #redact(credential: Credential): void {
    for (const text of secretTexts(credential)) this.#redaction.remember(text);
  }
}

/** Port: the editor's secret storage, shared by all windows, as VS Code's API describes it. */
export interface SecretStore {
  /** Undefined if nothing is stored. Rejects if the system's keychain can't be read. */
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  /** All keys of this extension. */
  keys(): PromiseLike<readonly string[]>;
  /** Emits the key of every change, by this window or another. */
  onDidChange(listener: (change: { readonly key: string }) => void): { dispose(): unknown };
}

/** Port: the keys of the secrets (never the secrets), with when each was last used, in milliseconds since 1970. */
export interface SecretIndex {
  /** Every key that may be stored, even if its secret was deleted elsewhere. */
  keys(): readonly string[];
  /** 0 if the secret hasn't been used; undefined if there is none. */
  read(key: string): number | undefined;
  /** Undefined deletes the entry. */
  write(key: string, usedAt: number | undefined): PromiseLike<void>;
}

/**
 * One entry of the secret storage: the credential with the origin for which it was entered. Times are in milliseconds
 * since 1970.
 */
export interface SecretEntry {
  readonly origin: string;
  readonly savedAt: number;
  readonly credential: Credential;
  /** When it expires, as entered by the user. */
  readonly expiresAt?: number;
}

const keyPrefix = "inferenceGateway/";
const formatVersion = 1;

/** The key under which the secret is stored: `inferenceGateway/<profile name>/<kind>`. */
export function secretKey(profileName: string, kind: SecretKind): string {
  return `${keyPrefix}${profileName}/${kind}`;
}

/** What a stored key refers to; undefined for keys that aren't ours. Profile names may contain slashes. */
export function parseSecretKey(
  key: string,
): { readonly profileName: string; readonly kind: SecretKind } | undefined {
  const slash = key.lastIndexOf("/");
  if (!key.startsWith(keyPrefix) || slash <= keyPrefix.length) return undefined;
  const name = key.slice(slash + 1);
  const kind = secretKinds.find((candidate) => candidate === name);
  return kind === undefined ? undefined : { profileName: key.slice(keyPrefix.length, slash), kind };
}

/** The origin to which this kind of secret is sent for this profile; undefined if the profile has no such URL. */
export function secretOrigin(profile: Profile, kind: SecretKind): string | undefined {
  return originOf(isGatewayKind(kind) ? profile.gatewayUrl : profile.inferenceBaseUrl);
}

/** The entry as it is stored in VS Code's secret storage. */
export function formatSecretEntry(entry: SecretEntry): string {
  return JSON.stringify({ version: formatVersion, ...entry });
}

/** Undefined for anything that isn't an entry of this kind, regardless of who wrote it. */
export function parseSecretEntry(text: string, kind: SecretKind): SecretEntry | undefined {
  const value = parseJson(text);
  if (!isRecord(value) || value["version"] !== formatVersion) return undefined;
  const origin = stringField(value, "origin");
  const credential = parseCredential(value["credential"], kind);
  if (origin === undefined || credential === undefined) return undefined;
  const expiresAt = numberField(value, "expiresAt");
  return {
    origin,
    savedAt: numberField(value, "savedAt") ?? 0,
    credential,
    ...(expiresAt === undefined ? {} : { expiresAt }),
  };
}

function parseCredential(value: unknown, kind: SecretKind): Credential | undefined {
  if (!isRecord(value) || value["kind"] !== kind) return undefined;
  return createCredential(kind, (part) => stringField(value, part));
}
