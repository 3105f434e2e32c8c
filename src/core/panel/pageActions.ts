import { isRemedyBy, remediesBy } from "../account/remedies.ts";
import type { RemedyBy } from "../account/remedies.ts";

/** The actions of the page's own buttons, in addition to the remedies. */
const buttonActions = [
  "selectModel",
  "editSystemPrompt",
  "selectTools",
  "setResponseFormat",
  "openResponseSchema",
  "removeResponseFormat",
  "showUsage",
] as const;

/** The actions that the page may request from the host; each is a command of the palette or a step of the chat. */
export type ActionId = RemedyBy<"anywhere" | "chat"> | (typeof buttonActions)[number];

/** Every action that the page may request; anything else from it is rejected. */
export const actionIds: readonly ActionId[] = [...remediesBy("anywhere", "chat"), ...buttonActions];

/**
 * The actions on a message, and whether they send a request to a model; if so, secrets and the budget are checked
 * first.
 */
const messageSteps = {
  regenerate: { asksModel: true },
  /** Continues where the response broke off. */
  continue: { asksModel: true },
  selectVersion: { asksModel: false },
  /** Starts a separate conversation with everything up to this message. */
  fork: { asksModel: false },
  compareVersions: { asksModel: false },
  continueTools: { asksModel: true },
  openToolResult: { asksModel: false },
  /** Checks a response that must be JSON. */
  checkResponse: { asksModel: false },
  /** Sends the model the errors in its JSON. */
  retryWithErrors: { asksModel: true },
  saveJson: { asksModel: false },
  includeMessage: { asksModel: false },
  askOtherModel: { asksModel: true },
  inspectRequest: { asksModel: false },
  retryShorter: { asksModel: true },
  /** Has the model summarize the previous messages, and continues in a new conversation. */
  summarize: { asksModel: true },
  retryWithoutParameter: { asksModel: true },
  retryWithoutInput: { asksModel: true },
  /** Later requests contain again what the model rejected before. */
  undoAdaptations: { asksModel: false },
  /** Sends the request again with the largest number of output tokens that the server accepts. */
  useTokenLimit: { asksModel: true },
  addCredit: { asksModel: false },
} as const satisfies Readonly<Record<RemedyBy<"message">, StepFacts> & Record<string, StepFacts>>;

interface StepFacts {
  readonly asksModel: boolean;
}

/** An action on a message that the page may request from the host. */
export type MessageAction = keyof typeof messageSteps;

/** Every action on a message that the page may request. */
export const messageActions: readonly MessageAction[] = Object.keys(messageSteps).filter(isMessageAction);

function isMessageAction(value: string): value is MessageAction {
  return Object.hasOwn(messageSteps, value);
}

/** Whether the action sends a request to a model. */
export function asksModel(action: MessageAction): boolean {
  return messageSteps[action].asksModel;
}

/** Whether the remedy sends the request again, which is offered for the newest response only. */
export function asksAgain(remedy: RemedyBy<"anywhere" | "chat" | "message">): boolean {
  return remedy === "retry" || (isRemedyBy(remedy, "message") && asksModel(remedy));
}
