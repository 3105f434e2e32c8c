import { t } from "@vscode/l10n";
import type { Credential, SecretKind } from "./credential.ts";
import { ServiceError } from "./errors.ts";
import { Listeners } from "./listeners.ts";
import type { Profile } from "./profile.ts";
import type { Redaction } from "./redaction.ts";
import {
  formatSecretEntry,
  parseSecretEntry,
  parseSecretKey,
  secretKey,
  secretKinds,
  secretOrigin,
  secretTexts,
} from "./secretEntry.ts";
import type { SecretReading } from "./secretReading.ts";

/** Port: the editor's secret storage, shared by all windows. */
export interface SecretStore {
  get(key: string): PromiseLike<string | undefined>;
  store(key: string, value: string): PromiseLike<void>;
  delete(key: string): PromiseLike<void>;
  /** All keys of this extension; missing where VS Code is too old to tell. */
  keys?(): PromiseLike<readonly string[]>;
  /** Tells the key of every change, by this window or another. Returns the function that ends it. */
  onDidChange(listener: (key: string) => void): () => void;
}

/** Port: where the keys (never the secrets) are remembered for those versions that can't list them. */
export interface SecretIndex {
  read(): readonly string[];
  write(keys: readonly string[]): PromiseLike<void>;
}

export interface SecretVaultContext {
  readonly store: SecretStore;
  readonly index: SecretIndex;
  readonly redaction: Redaction;
  /** Milliseconds since 1970. */
  now(): number;
}

/**
 * Holds one secret for each pair of profile and kind, bound to the origin for which it was entered. Every change, by
 * this window or another, raises the profile's generation: clients and caches that were made with an older one drop
 * what they still receive.
 */
export class SecretVault {
  readonly #context: SecretVaultContext;
  readonly #listeners = new Listeners<string>();
  readonly #generations = new Map<string, number>();
  /** What this window last saw under a key, to tell another window's change from the echo of its own. */
  readonly #seen = new Map<string, string | undefined>();
  readonly #stopListening: () => void;
  /** Changes of the index, one after the other: it is read, changed and written back. */
  #indexing: Promise<void> = Promise.resolve();

  constructor(context: SecretVaultContext) {
    this.#context = context;
    this.#stopListening = context.store.onDidChange((key) => void this.#notice(key));
  }

  /** How often the secrets of this profile have changed in this session. */
  generation(profileName: string): number {
    return this.#generations.get(profileName) ?? 0;
  }

  /** The listener is told the name of the profile whose secrets have changed. */
  onDidChange(listener: (profileName: string) => void): () => void {
    return this.#listeners.add(listener);
  }

  async read(profile: Profile, kind: SecretKind): Promise<SecretReading> {
    const key = secretKey(profile.name, kind);
    const text = await this.#context.store.get(key);
    this.#seen.set(key, text);
    if (text === undefined) return { state: this.#isIndexed(key) ? "lost" : "missing" };
    const entry = parseSecretEntry(text, kind);
    if (entry === undefined) return { state: "unreadable" };
    this.#rememberForRedaction(entry.credential);
    const origin = secretOrigin(profile, kind);
    if (entry.origin !== origin) return { state: "otherOrigin", enteredFor: entry.origin };
    return { state: "present", credential: entry.credential, savedAt: entry.savedAt };
  }

  /** Stores the credential for the origin that the profile has now. Throws `configuration` where it has none. */
  async store(profile: Profile, credential: Credential): Promise<void> {
    const origin = secretOrigin(profile, credential.kind);
    if (origin === undefined) {
      throw new ServiceError({
        reason: "configuration",
        message: t(
          "The profile “{0}” has no URL that this credential could be sent to. Add it to the profile first.",
          profile.name,
        ),
      });
    }
    this.#rememberForRedaction(credential);
    const key = secretKey(profile.name, credential.kind);
    const text = formatSecretEntry({ origin, savedAt: this.#context.now(), credential });
    // The index first: a crash in between leaves a name without a secret, never a secret that nobody knows of.
    await this.#changeIndex((keys) => [...new Set([...keys, key])]);
    this.#seen.set(key, text);
    await this.#context.store.store(key, text);
    this.#raise(profile.name);
  }

  async remove(profileName: string, kind: SecretKind): Promise<void> {
    await this.#delete(secretKey(profileName, kind));
    this.#raise(profileName);
  }

  /** Which kinds are stored for the profile, usable or not. */
  async kinds(profileName: string): Promise<ReadonlySet<SecretKind>> {
    const found = await Promise.all(
      secretKinds.map(async (kind) => {
        const text = await this.#context.store.get(secretKey(profileName, kind));
        return text === undefined ? [] : [kind];
      }),
    );
    return new Set(found.flat());
  }

  /** Whether any profile, existing or not, has a secret. */
  async isEmpty(profileNames: readonly string[]): Promise<boolean> {
    const keys = await this.#allKeys(profileNames);
    const texts = await Promise.all([...keys].map((key) => this.#context.store.get(key)));
    return texts.every((text) => text === undefined);
  }

  /** Deletes every secret, those of profiles that don't exist any more too. Returns how many there were. */
  async wipe(profileNames: readonly string[]): Promise<number> {
    let count = 0;
    const keys = await this.#allKeys(profileNames);
    for (const key of keys) {
      if ((await this.#context.store.get(key)) !== undefined) count++;
      await this.#delete(key);
    }
    const names = new Set([...keys].map((key) => parseSecretKey(key)?.profileName ?? ""));
    for (const name of names) this.#raise(name);
    return count;
  }

  dispose(): void {
    this.#stopListening();
  }

  async #allKeys(profileNames: readonly string[]): Promise<ReadonlySet<string>> {
    const { store, index } = this.#context;
    const listed = (await store.keys?.()) ?? [];
    const possible = profileNames.flatMap((name) => secretKinds.map((kind) => secretKey(name, kind)));
    return new Set([...index.read(), ...listed, ...possible]);
  }

  async #delete(key: string): Promise<void> {
    this.#seen.set(key, undefined);
    await this.#context.store.delete(key);
    await this.#changeIndex((keys) => keys.filter((other) => other !== key));
  }

  /** Another window may have stored or removed a secret; our own changes echo here too and change nothing. */
  async #notice(key: string): Promise<void> {
    const parsed = parseSecretKey(key);
    if (parsed === undefined) return;
    const text = await this.#context.store.get(key);
    if (this.#seen.has(key) && this.#seen.get(key) === text) return;
    this.#seen.set(key, text);
    if (text === undefined) await this.#changeIndex((keys) => keys.filter((other) => other !== key));
    this.#raise(parsed.profileName);
  }

  #changeIndex(change: (keys: readonly string[]) => readonly string[]): Promise<void> {
    const { index } = this.#context;
    const next = this.#indexing.then(async () => {
      const before = index.read();
      const after = change(before);
      if (after.length !== before.length) await index.write(after);
    });
    this.#indexing = next.catch(() => undefined);
    return next;
  }

  #isIndexed(key: string): boolean {
    return this.#context.index.read().includes(key);
  }

  #rememberForRedaction(credential: Credential): void {
    for (const text of secretTexts(credential)) this.#context.redaction.remember(text);
  }

  #raise(profileName: string): void {
    this.#generations.set(profileName, this.generation(profileName) + 1);
    this.#listeners.emit(profileName);
  }
}
