import { assertNever } from "../kernel/assertNever.ts";
import type { SecretKind } from "../kernel/credential.ts";
import type { ErrorFacts } from "../kernel/errors.ts";
import type { ActionId, MessageAction } from "./protocol.ts";

/** What can be done about a failed response with the message itself. */
const messageSteps = [
  "askOtherModel",
  "inspectRequest",
  "retryShorter",
  "retryWithoutParameter",
  "addCredit",
  "switchScheme",
] as const satisfies readonly MessageAction[];
export type ErrorMessageAction = (typeof messageSteps)[number];

/** What can be done about a failed response: a step of the chat or of the setup, or one with the message itself. */
export type ErrorAction = ActionId | ErrorMessageAction;

/** Whether it is a step with the message itself. */
export function isMessageStep(action: ErrorAction): action is ErrorMessageAction {
  return messageSteps.some((step) => step === action);
}

const setActions: Readonly<Record<SecretKind, ActionId>> = {
  apiKey: "setApiKey",
  accessKey: "setAccessKey",
  sessionToken: "setSessionToken",
  stsToken: "setStsToken",
};

/** The actions that solve a failure, the most useful first; then those that show more about it. */
export function errorActions({ reason, credential, parameter, link }: ErrorFacts): readonly ErrorAction[] {
  const without: readonly ErrorAction[] = parameter === undefined ? [] : ["retryWithoutParameter"];
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
    case "wrongScheme":
      return ["switchScheme", "openProfiles", "retry"];
    case "insecure":
    case "configuration":
      return ["openProfiles", "retry"];
    case "authenticationType":
    case "redirected":
      return ["openProfiles", "retry", "inspectRequest"];
    case "notFound":
      return ["openProfiles", "askOtherModel", "retry", "inspectRequest"];
    case "contextLength":
      return [...without, "retryShorter", "askOtherModel", "inspectRequest"];
    case "contentFilter":
      return ["askOtherModel", "retry", "inspectRequest"];
    case "unknownModel":
      return ["askOtherModel", "refreshModels", "retry", "inspectRequest"];
    case "unsupportedParameter":
      return [...without, "editChatSettings", "askOtherModel", "inspectRequest"];
    case "payment":
      return [
        ...(link === undefined ? [] : (["addCredit"] as const)),
        "retry",
        "askOtherModel",
        "inspectRequest",
      ];
    case "badRequest":
      return ["askOtherModel", "retry", "inspectRequest", "showLog"];
    case "proxy":
    case "tls":
      return ["openSettings", "retry", "showLog"];
    case "unreachable":
      return ["retry", "inspectRequest", "showLog"];
    case "timeout":
    case "forbidden":
    case "rateLimit":
    case "overloaded":
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
    case "retryShorter":
    case "retryWithoutParameter":
    case "continueTools":
    case "retryWithErrors":
      return true;
    default:
      return false;
  }
}

/** Whether the action asks again: offered for the newest answer only. */
export function asksAgain(action: ErrorAction): boolean {
  return action === "retry" || (isMessageStep(action) && asksModel(action));
}
