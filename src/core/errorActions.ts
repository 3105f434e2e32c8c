import { assertNever } from "./assertNever.ts";
import type { SecretKind } from "./credential.ts";
import type { ErrorFacts } from "./errors.ts";
import type { ActionId } from "./protocol.ts";

const setActions: Readonly<Record<SecretKind, ActionId>> = {
  apiKey: "setApiKey",
  accessKey: "setAccessKey",
  sessionToken: "setSessionToken",
  stsToken: "setStsToken",
};

/** The actions that mend a failure, the most useful first. */
export function errorActions({ reason, credential }: ErrorFacts): readonly ActionId[] {
  switch (reason) {
    case "missingCredential":
      return [credential === undefined ? "openProfiles" : setActions[credential], "retry"];
    case "apiKey":
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
