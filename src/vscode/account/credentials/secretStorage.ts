import type * as vscode from "vscode";
import { isRecord, numberField, stringsIn } from "../../../core/kernel/json.ts";
import type { SecretIndex, SecretStore, SecretUses } from "../../../core/account/secretEntries.ts";

/** Implements the vault's port with VS Code's secret storage. */
export function createSecretStore(secrets: vscode.SecretStorage): SecretStore {
  return {
    keys: () => secrets.keys(),
    get: (key) => secrets.get(key),
    store: (key, value) => secrets.store(key, value),
    delete: (key) => secrets.delete(key),
    onDidChange(listener) {
      const subscription = secrets.onDidChange(({ key }) => listener(key));
      return () => subscription.dispose();
    },
  };
}

const indexKey = "inferenceGateway.secretKeys";

/** The names of the stored secrets in the extension's global state. */
export function createSecretIndex(globalState: vscode.Memento): SecretIndex {
  return {
    read() {
      const value: unknown = globalState.get(indexKey);
      return stringsIn(value);
    },
    write: (keys) => globalState.update(indexKey, keys),
  };
}

const usesKey = "inferenceGateway.secretUses";

/** When the secrets were last used, next to their names in the extension's global state. */
export function createSecretUses(globalState: vscode.Memento): SecretUses {
  const read = (): Readonly<Record<string, unknown>> => {
    const value: unknown = globalState.get(usesKey);
    return isRecord(value) ? value : {};
  };
  return {
    read: (key) => numberField(read(), key),
    write: (key, usedAt) => {
      const { [key]: before, ...others } = read();
      if (before === usedAt) return Promise.resolve();
      return globalState.update(usesKey, usedAt === undefined ? others : { ...others, [key]: usedAt });
    },
  };
}
