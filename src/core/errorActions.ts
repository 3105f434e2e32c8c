import { assertNever } from "./assertNever.ts";
import type { ErrorReason } from "./errors.ts";
import type { ActionId } from "./protocol.ts";

/** The actions that mend a failure, the most useful first. */
export function errorActions(reason: ErrorReason): readonly ActionId[] {
  switch (reason) {
    case "apiKey":
    case "missingCredential":
      return ["setApiKey", "retry"];
    case "sessionToken":
      return ["setSessionToken", "retry"];
    case "stsToken":
      return ["setStsToken", "retry"];
    case "signature":
      return ["setAccessKey", "retry", "showLog"];
    case "authenticationType":
    case "configuration":
    case "insecure":
    case "redirected":
    case "notFound":
      return ["openProfiles", "retry"];
    case "badRequest":
      return ["selectModel", "retry", "showLog"];
    case "proxy":
    case "tls":
      return ["openSettings", "retry", "showLog"];
    case "unreachable":
    case "timeout":
    case "forbidden":
    case "payment":
    case "rateLimit":
    case "unavailable":
    case "service":
    case "truncated":
    case "malformed":
      return ["retry", "showLog"];
    default:
      return assertNever(reason);
  }
}
