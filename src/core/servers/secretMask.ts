import { isRecord } from "../json.ts";
import { secretName } from "../secrets/secretNames.ts";
import { mask, maskSecretText } from "./secretText.ts";

/** Deeper than any record that means something; what lies below is masked whole. */
const maxDepth = 40;

/**
 * A copy of a record that may be shown: values whose field's name says secret, texts that look like one, credentials
 * in URLs and the values of environment variables are masked. Names, booleans, nulls and empty texts stay.
 */
export function maskSecrets(value: unknown): unknown {
  return copy(value, 0);
}

function copy(value: unknown, depth: number): unknown {
  if (typeof value === "string") return maskSecretText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= maxDepth) return mask;
  if (Array.isArray(value)) return value.map((item: unknown) => copy(item, depth + 1));
  return isRecord(value) ? copyRecord(value, depth) : value;
}

function copyRecord(record: Readonly<Record<string, unknown>>, depth: number): unknown {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => {
      const isSecret = isSecretField(record, name);
      return [maskSecretText(name), isSecret ? maskAll(value, depth + 1) : copy(value, depth + 1)];
    }),
  );
}

/** Whether the value of this field is a secret, by its name or by the name that stands beside it. */
export function isSecretField(record: Readonly<Record<string, unknown>>, name: string): boolean {
  if (secretName(name) !== undefined) return true;
  return /^(?:value|val|data|content)$/i.test(name) && namesSecret(record);
}

/** `{"key": "db_password", "value": "…"}`: the name of the secret stands beside it. */
function namesSecret(record: Readonly<Record<string, unknown>>): boolean {
  return ["key", "Key", "name", "Name"].some((field) => {
    const name = record[field];
    return typeof name === "string" && name.length < 200 && secretName(name) !== undefined;
  });
}

/** Everything below a secret name: the structure stays, each value goes. */
function maskAll(value: unknown, depth: number): unknown {
  if (value === null || value === "" || typeof value === "boolean") return value;
  if (typeof value !== "object" || depth >= maxDepth) return mask;
  if (Array.isArray(value)) return value.map((item: unknown) => maskAll(item, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, maskAll(inner, depth + 1)]));
}
