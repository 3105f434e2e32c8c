import type { SecretIndex, SecretStore } from "../../src/core/account/secretEntries.ts";

/** Secret storage shared by windows, in memory. Every window is notified of all changes, including its own. */
export class MemorySecrets implements SecretStore {
  readonly entries = new Map<string, string>();
  readonly #listeners = new Set<(change: { readonly key: string }) => void>();

  keys(): Promise<readonly string[]> {
    return Promise.resolve([...this.entries.keys()]);
  }

  get(key: string): Promise<string | undefined> {
    return Promise.resolve(this.entries.get(key));
  }

  store(key: string, value: string): Promise<void> {
    this.entries.set(key, value);
    return this.#notify(key);
  }

  delete(key: string): Promise<void> {
    this.entries.delete(key);
    return this.#notify(key);
  }

  onDidChange(listener: (change: { readonly key: string }) => void): { dispose(): unknown } {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  #notify(key: string): Promise<void> {
    for (const listener of this.#listeners) listener({ key });
    return Promise.resolve();
  }
}

/** The index of one window, in memory. */
export class MemoryIndex implements SecretIndex {
  readonly entries = new Map<string, number>();

  keys(): readonly string[] {
    return [...this.entries.keys()];
  }

  read(key: string): number | undefined {
    return this.entries.get(key);
  }

  write(key: string, usedAt: number | undefined): Promise<void> {
    if (usedAt === undefined) this.entries.delete(key);
    else this.entries.set(key, usedAt);
    return Promise.resolve();
  }
}
