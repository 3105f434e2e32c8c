import type * as vscode from "vscode";
import { isRecord, numberField } from "../../../core/kernel/json.ts";
import type { SecretIndex } from "../../../core/account/secretEntries.ts";

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
