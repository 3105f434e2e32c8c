import type { Credential, SecretKind } from "../kernel/credential.ts";
import type { Redaction } from "./redaction.ts";
import {
  formatSecretEntry,
  parseSecretEntry,
  secretKey,
  secretKinds,
  secretSlots,
  secretTexts,
} from "./secretEntry.ts";
import type { SecretEntry } from "./secretEntry.ts";
import type { SecretIndex, SecretStore } from "./secretStore.ts";

export interface SecretEntriesContext {
  readonly store: SecretStore;
  readonly index: SecretIndex;
  readonly redaction: Redaction;
}

/** The entries of the secret storage by their keys, with the index of these. Every secret that is seen is redacted. */
export class SecretEntries {
  readonly #store: SecretStore;
  readonly #index: SecretIndex;
  readonly #redaction: Redaction;
  /** What this window last saw under a key, to tell another window's change from the echo of its own. */
  readonly #seen = new Map<string, string | undefined>();
  /** Changes of the index, one after the other: it is read, changed and written back. */
  #indexing: Promise<void> = Promise.resolve();

  constructor({ store, index, redaction }: SecretEntriesContext) {
    this.#store = store;
    this.#index = index;
    this.#redaction = redaction;
  }

  /** Reads the entry for whoever is to use it. `lost`: it is gone without having been deleted. */
  async read(key: string, kind: SecretKind): Promise<SecretEntry | "missing" | "lost" | "unreadable"> {
    const text = await this.#store.get(key);
    this.#seen.set(key, text);
    if (text === undefined) return this.#index.read().includes(key) ? "lost" : "missing";
    const entry = parseSecretEntry(text, kind);
    if (entry !== undefined) this.#redact(entry.credential);
    return entry ?? "unreadable";
  }

  /** Undefined where there is none, or none that can be read. */
  async find(key: string, kind: SecretKind): Promise<SecretEntry | undefined> {
    const text = await this.#store.get(key);
    return text === undefined ? undefined : parseSecretEntry(text, kind);
  }

  async put(key: string, entry: SecretEntry): Promise<void> {
    this.#redact(entry.credential);
    const text = formatSecretEntry(entry);
    // The index first: a crash in between leaves a name without a secret, never a secret that nobody knows of.
    await this.#changeIndex((keys) => [...new Set([...keys, key])]);
    this.#seen.set(key, text);
    await this.#store.store(key, text);
  }

  async delete(key: string): Promise<void> {
    this.#seen.set(key, undefined);
    await this.#store.delete(key);
    await this.#forgetKey(key);
  }

  /** Keys that there may be: those of the index, of the storage, and all that these profiles can have. */
  async keys(profileNames: readonly string[]): Promise<readonly string[]> {
    const listed = (await this.#store.keys?.()) ?? [];
    const possible = profileNames.flatMap((name) =>
      secretKinds.flatMap((kind) => secretSlots.map((slot) => secretKey(name, kind, slot))),
    );
    return [...new Set([...this.#index.read(), ...listed, ...possible])];
  }

  /** Whether the change that the storage tells is another window's; our own changes echo there too. */
  async takeChange(key: string): Promise<boolean> {
    const text = await this.#store.get(key);
    if (this.#seen.has(key) && this.#seen.get(key) === text) return false;
    this.#seen.set(key, text);
    if (text === undefined) await this.#forgetKey(key);
    return true;
  }

  #forgetKey(key: string): Promise<void> {
    return this.#changeIndex((keys) => keys.filter((other) => other !== key));
  }

  #changeIndex(change: (keys: readonly string[]) => readonly string[]): Promise<void> {
    const index = this.#index;
    const next = this.#indexing.then(async () => {
      const before = index.read();
      const after = change(before);
      if (after.length !== before.length) await index.write(after);
    });
    this.#indexing = next.catch(() => undefined);
    return next;
  }

  #redact(credential: Credential): void {
    for (const text of secretTexts(credential)) this.#redaction.remember(text);
  }
}
