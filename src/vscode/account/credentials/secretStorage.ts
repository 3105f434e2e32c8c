import type * as vscode from "vscode";
import { isRecord, numberField } from "../../../core/kernel/json.ts";
import type { SecretIndex, SecretStore } from "../../../core/account/secretEntries.ts";

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

const indexKey = "inferenceGateway.secretUses";

/** The names of the stored secrets and their last uses in the extension's global state. */
export function createSecretIndex(globalState: vscode.Memento): SecretIndex {
  const read = (): Readonly<Record<string, unknown>> => {
    const value: unknown = globalState.get(indexKey);
    return isRecord(value) ? value : {};
  };
  return {
    keys: () => Object.keys(read()),
    read: (key) => numberField(read(), key),
    write: (key, usedAt) => {
      const { [key]: before, ...others } = read();
      if (before === usedAt) return Promise.resolve();
      return globalState.update(indexKey, usedAt === undefined ? others : { ...others, [key]: usedAt });
    },
  };
}
