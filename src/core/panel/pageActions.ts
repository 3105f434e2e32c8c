import { isRemedyBy, remediesBy } from "../account/remedies.ts";
import type { RemedyBy } from "../account/remedies.ts";

/** What the page's own buttons ask for, beside the remedies. */
const buttonActions = [
  "selectModel",
  "editSystemPrompt",
  "selectTools",
  "setResponseFormat",
  "openResponseSchema",
  "removeResponseFormat",
  "showUsage",
] as const;

/** The actions that the page may ask the host for; each is a command of the palette or a step of the chat. */
export type ActionId = RemedyBy<"anywhere" | "chat"> | (typeof buttonActions)[number];

export const actionIds: readonly ActionId[] = [...remediesBy("anywhere", "chat"), ...buttonActions];

/** What can be done with a message, and whether a model is asked then: what may be spent and sent is checked first. */
const messageSteps = {
  regenerate: { asksModel: true },
  /** Goes on where the response broke off. */
  continue: { asksModel: true },
  selectVersion: { asksModel: false },
  /** Begins a conversation of its own with all up to this message. */
  fork: { asksModel: false },
  compareVersions: { asksModel: false },
  continueTools: { asksModel: true },
  openToolResult: { asksModel: false },
  /** Checks a response that has to be JSON. */
  checkResponse: { asksModel: false },
  /** Tells the model what was wrong with its JSON. */
  retryWithErrors: { asksModel: true },
  saveJson: { asksModel: false },
  includeMessage: { asksModel: false },
  askOtherModel: { asksModel: true },
  inspectRequest: { asksModel: false },
  retryShorter: { asksModel: true },
  /** Has the model summarize what came before, and goes on in a new conversation. */
  summarize: { asksModel: true },
  retryWithoutParameter: { asksModel: true },
  addCredit: { asksModel: false },
} as const satisfies Readonly<Record<RemedyBy<"message">, StepFacts> & Record<string, StepFacts>>;

interface StepFacts {
  readonly asksModel: boolean;
}

export type MessageAction = keyof typeof messageSteps;

/** Reads an action of the page; undefined for anything else. */
export function parseMessageAction(value: unknown): MessageAction | undefined {
  return typeof value === "string" && isMessageAction(value) ? value : undefined;
}

function isMessageAction(value: string): value is MessageAction {
  return Object.hasOwn(messageSteps, value);
}

export function asksModel(action: MessageAction): boolean {
  return messageSteps[action].asksModel;
}

/** Whether the remedy asks again: offered for the newest response only. */
export function asksAgain(remedy: RemedyBy<"anywhere" | "chat" | "message">): boolean {
  return remedy === "retry" || (isRemedyBy(remedy, "message") && asksModel(remedy));
}
