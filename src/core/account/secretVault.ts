import { t } from "@vscode/l10n";
import type { Credential, SecretKind } from "../kernel/credential.ts";
import { isSameKey } from "./credentialKinds.ts";
import { describeStoredSecret, entryExpiry } from "./storedSecret.ts";
import type { StoredSecret } from "./storedSecret.ts";
import type { ServiceError } from "../kernel/errors.ts";
import { Listeners } from "../kernel/listeners.ts";
import type { Profile } from "./profile.ts";
import { SecretEntries, parseSecretKey, secretKey, secretOrigin } from "./secretEntries.ts";
import type { SecretEntriesContext } from "./secretEntries.ts";
import type { SecretResult } from "./credentialState.ts";
import type { SuppliedFacts, SupplyRequest } from "./suppliedCredentials.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** Port: the sources in the profiles. */
export interface CredentialSupplier {
  /** @param refused A credential that the service has rejected: the source is asked for another one. */
  obtain(request: SupplyRequest, refused?: Credential): Promise<SecretResult>;
  /** Asks the user again if they declined, and the source even if it has just failed. */
  allow(request: SupplyRequest): Promise<SecretResult>;
  /** What is known without asking the source. */
  facts(request: SupplyRequest): Promise<SuppliedFacts | undefined>;
}

interface SecretVaultContext extends SecretEntriesContext {
  readonly supplier?: CredentialSupplier;
  /** Milliseconds since 1970. */
  now(): number;
}

/** Granularity of the recorded uses, in milliseconds. */
const useStepMs = 60_000;

/**
 * Holds one secret for each profile and kind, bound to the origin for which it was entered. Every change to a secret, by
 * this window or another, increments the profile's generation: clients and caches created with an older one discard
 * whatever they still receive.
 */
export class SecretVault {
  readonly #context: SecretVaultContext;
  readonly #entries: SecretEntries;
  readonly #listeners = new Listeners<string>();
  readonly #generations = new Map<string, number>();
  readonly #listening: { dispose(): unknown };

  constructor(context: SecretVaultContext) {
    this.#context = context;
    this.#entries = new SecretEntries(context);
    this.#listening = context.store.onDidChange(({ key }) => void this.#notice(key));
  }

  /** How often the secrets of this profile have changed in this session. */
  generation(profileName: string): number {
    return this.#generations.get(profileName) ?? 0;
  }

  /** The listener receives the name of the profile whose secrets have changed. */
  onDidChange(listener: (profileName: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  /** What is stored. A source in the profile takes precedence, and isn't asked here. */
  async read(profile: Profile, kind: SecretKind): Promise<SecretResult> {
    if (supplyRequest(profile, kind) !== undefined) return { state: "supplied" };
    const entry = await this.#entries.read(secretKey(profile.name, kind), kind);
    if (typeof entry === "string") return { state: entry };
    if (entry.origin !== secretOrigin(profile, kind))
      return { state: "otherOrigin", enteredFor: entry.origin };
    const { credential, savedAt } = entry;
    return filledFields({ state: "present", credential, savedAt, expiresAt: entryExpiry(entry) });
  }

  /**
   * The credential for a request: the stored one, or what the source in the profile supplies.
   * @param refused The credential that the server refused, so that the source is asked for another one.
   */
  async obtain(profile: Profile, kind: SecretKind, refused?: Credential): Promise<SecretResult> {
    const request = supplyRequest(profile, kind);
    const { supplier } = this.#context;
    return request === undefined || supplier === undefined
      ? this.read(profile, kind)
      : supplier.obtain(request, refused);
  }

  /** A credential other than the refused one; undefined if there is none, such as for a stored one. */
  async renew(profile: Profile, refused: Credential): Promise<Credential | undefined> {
    if (supplyRequest(profile, refused.kind) === undefined) return undefined;
    const result = await this.obtain(profile, refused.kind, refused);
    return result.state === "present" && !isSameKey(result.credential, refused)
      ? result.credential
      : undefined;
  }

  /** Obtains the credential of a source again because the user requests it; undefined if there is no source. */
  async allowSource(profile: Profile, kind: SecretKind): Promise<SecretResult | undefined> {
    const request = supplyRequest(profile, kind);
    return request === undefined ? undefined : this.#context.supplier?.allow(request);
  }

  /** What is known about the credential of a source; undefined if it hasn't been needed yet. */
  async suppliedFacts(profile: Profile, kind: SecretKind): Promise<SuppliedFacts | undefined> {
    const request = supplyRequest(profile, kind);
    return request === undefined ? undefined : this.#context.supplier?.facts(request);
  }

  /** A source may supply something else now: what failed for lack of a credential is tried again. */
  sourceChanged(profileName: string): void {
    this.#raise(profileName);
  }

  /** Everything that is stored, including for profiles that no longer exist, but never the values. */
  async list(): Promise<readonly StoredSecret[]> {
    const { store, index } = this.#context;
    const keys = await this.#entries.keys();
    const found = await Promise.all(
      keys.map(async (key) => {
        const text = await store.get(key);
        return text === undefined ? undefined : describeStoredSecret(key, text, index.read(key));
      }),
    );
    return found.filter((secret) => secret !== undefined);
  }

  /**
   * Stores the credential for the profile's current origin. Throws `configuration` if the profile has none.
   * @param expiresAt When it expires, in milliseconds since 1970, if the user knows and the token doesn't contain it.
   */
  async store(profile: Profile, credential: Credential, expiresAt?: number): Promise<void> {
    const origin = secretOrigin(profile, credential.kind);
    if (origin === undefined) {
      throw await configurationError(
        t("The profile “{0}” has no URL for this credential. Add one to the profile first.", profile.name),
      );
    }
    const savedAt = this.#context.now();
    const key = secretKey(profile.name, credential.kind);
    await this.#context.index.write(key, 0);
    await this.#entries.put(key, filledFields({ origin, savedAt, credential, expiresAt }));
    this.#raise(profile.name);
  }

  /** Records when the stored secret expires. Undefined if unknown. */
  async setExpiry(profileName: string, kind: SecretKind, expiresAt: number | undefined): Promise<void> {
    const key = secretKey(profileName, kind);
    const entry = await this.#entries.read(key, kind);
    if (typeof entry === "string") return;
    const { origin, savedAt, credential } = entry;
    await this.#entries.put(key, filledFields({ origin, savedAt, credential, expiresAt }));
    this.#raise(profileName);
  }

  /** Records that the secret in use was used now. */
  noteUse(profileName: string, kind: SecretKind): void {
    const { index, now } = this.#context;
    const key = secretKey(profileName, kind);
    const [usedAt, before] = [now(), index.read(key)];
    if (before !== undefined && usedAt - before >= useStepMs) void index.write(key, usedAt);
  }

  async remove(profileName: string, kind: SecretKind): Promise<void> {
    await this.#entries.delete(secretKey(profileName, kind));
    this.#raise(profileName);
  }

  /**
   * Deletes every secret, including those of profiles that no longer exist, or only those of the named profile. Returns
   * how many were deleted.
   */
  async wipe(only?: string): Promise<number> {
    let count = 0;
    const keys = (await this.#entries.keys()).filter(
      (key) => only === undefined || parseSecretKey(key)?.profileName === only,
    );
    for (const key of keys) {
      if ((await this.#context.store.get(key)) !== undefined) count++;
      await this.#entries.delete(key);
    }
    const names = new Set(keys.map((key) => parseSecretKey(key)?.profileName ?? ""));
    for (const name of names) this.#raise(name);
    return count;
  }

  dispose(): void {
    this.#listening.dispose();
  }

  async #notice(key: string): Promise<void> {
    const parsed = parseSecretKey(key);
    if (parsed !== undefined && (await this.#entries.takeChange(key))) this.#raise(parsed.profileName);
  }

  #raise(profileName: string): void {
    this.#generations.set(profileName, this.generation(profileName) + 1);
    this.#listeners.emit(profileName);
  }
}

/** The class is loaded here, because nothing else at the start throws one. */
async function configurationError(message: string): Promise<ServiceError> {
  const errors = await import("../kernel/errors.ts");
  return new errors.ServiceError({ reason: "configuration", message });
}

/** Whether there is a credential, or a source that may supply it. */
export function isAvailable({ state }: SecretResult): boolean {
  return state === "present" || state === "supplied";
}

/** Undefined if the profile has no source for this kind of credential. */
export function supplyRequest(profile: Profile, kind: SecretKind): SupplyRequest | undefined {
  const source = profile.credentialSources?.[kind];
  const origin = secretOrigin(profile, kind);
  return source === undefined || origin === undefined
    ? undefined
    : { profileName: profile.name, kind, origin, source };
}
