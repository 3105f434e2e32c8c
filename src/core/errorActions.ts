import { assertNever } from "./assertNever.ts";
import type { SecretKind } from "./credential.ts";
import type { ErrorFacts } from "./errors.ts";
import type { ActionId, MessageAction } from "./protocol.ts";

/** What may be done about a failed answer: a step of the chat or of the set-up, or one with the message itself. */
export type ErrorAction = ActionId | Extract<MessageAction, "askOtherModel" | "inspectRequest">;

const setActions: Readonly<Record<SecretKind, ActionId>> = {
  apiKey: "setApiKey",
  accessKey: "setAccessKey",
  sessionToken: "setSessionToken",
  stsToken: "setStsToken",
};

/** The actions that mend a failure, the most useful first; then those that tell more about it. */
export function errorActions({ reason, credential }: ErrorFacts): readonly ErrorAction[] {
  switch (reason) {
    case "missingCredential":
      return [credential === undefined ? "openProfiles" : setActions[credential], "retry"];
    case "apiKey":
      return ["setApiKey", "retry", "inspectRequest"];
    case "sessionToken":
      return ["setSessionToken", "retry"];
    case "stsToken":
      return ["setStsToken", "retry"];
    case "signature":
      return ["setAccessKey", "retry", "showLog"];
    case "insecure":
    case "configuration":
      return ["openProfiles", "retry"];
    case "authenticationType":
    case "redirected":
      return ["openProfiles", "retry", "inspectRequest"];
    case "notFound":
      return ["openProfiles", "askOtherModel", "retry", "inspectRequest"];
    case "badRequest":
      return ["askOtherModel", "retry", "inspectRequest", "showLog"];
    case "proxy":
    case "tls":
      return ["openSettings", "retry", "showLog"];
    case "unreachable":
      return ["retry", "inspectRequest", "showLog"];
    case "timeout":
    case "forbidden":
    case "payment":
    case "rateLimit":
    case "unavailable":
    case "service":
    case "malformed":
      return ["retry", "askOtherModel", "inspectRequest", "showLog"];
    case "truncated":
      return ["retry", "inspectRequest", "showLog"];
    default:
      return assertNever(reason);
  }
}

/** Whether the action has a model asked: what may be spent and sent is looked at before it. */
export function asksModel(action: MessageAction): boolean {
  switch (action) {
    case "regenerate":
    case "continue":
    case "askOtherModel":
    case "continueTools":
    case "retryWithErrors":
      return true;
    default:
      return false;
  }
}

/** Whether the action asks again: offered for the newest answer only. */
export function asksAgain(action: ErrorAction): boolean {
  return action === "retry" || action === "askOtherModel";
}
