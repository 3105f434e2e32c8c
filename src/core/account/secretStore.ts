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

/** Port: when each secret was used last, by its key, in milliseconds since 1970. */
export interface SecretUses {
  read(key: string): number | undefined;
  /** Undefined forgets it. */
  write(key: string, usedAt: number | undefined): PromiseLike<void>;
}
