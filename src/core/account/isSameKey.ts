import type { Credential } from "../kernel/credential.ts";

/** Whether both are the same key: of a pair the access key decides, since it is what is revoked. */
export function isSameKey(first: Credential, second: Credential): boolean {
  switch (first.kind) {
    case "apiKey":
      return second.kind === "apiKey" && first.apiKey.trim() === second.apiKey.trim();
    case "accessKey":
      return second.kind === "accessKey" && first.accessKey.trim() === second.accessKey.trim();
    case "sessionToken":
    case "stsToken":
      return second.kind === first.kind && first.token.trim() === second.token.trim();
  }
}
