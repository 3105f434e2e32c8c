import { isRecord, numberField } from "../core/json.ts";

/** When a JSON Web Token ends by its own word, in milliseconds since 1970; undefined where it is none or doesn't say. */
export function tokenExpiry(token: string): number | undefined {
  const payload = token.trim().split(".")[1];
  if (payload === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString("utf8"));
    const seconds = isRecord(claims) ? numberField(claims, "exp") : undefined;
    return seconds === undefined ? undefined : seconds * 1_000;
  } catch {
    return undefined;
  }
}
