import type { ErrorFacts } from "../kernel/errors.ts";

/**
 * Whether the gateway refused the credential itself (interface section 7). Nothing on the way to it, no certificate and
 * no silence, says anything about a credential.
 */
export function isRefusal({ reason }: Pick<ErrorFacts, "reason">): boolean {
  switch (reason) {
    case "sessionToken":
    case "stsToken":
    case "authenticationType":
    case "signature":
      return true;
    default:
      return false;
  }
}
