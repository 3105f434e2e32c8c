import * as vscode from "vscode";
import { isRemedyBy } from "../../core/account/remedies.ts";
import type { RemedyBy } from "../../core/account/remedies.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { runRemedy } from "../account/runRemedy.ts";
import { commandIds } from "../shell/commandIds.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { ActionId, MessageAction } from "../../core/panel/pageActions.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import { openLink } from "../shell/openLink.ts";
import type { StructuredOutput } from "../responses/structured/structuredOutput.ts";
import type { ChatTools } from "../responses/tools/chatTools.ts";
import type { VersionDiff } from "../conversation/versionDiff.ts";

interface MessageActionsContext {
  readonly versionDiff: VersionDiff;
  readonly structured: StructuredOutput;
  readonly tools: ChatTools;
  /** Opens a new conversation with everything up to this message. */
  fork(session: ChatSession, messageId: string): void;
  /** Summarizes everything before this response and continues in a new conversation. */
  summarize(session: ChatSession, messageId: string): void;
  inspect(session: ChatSession, messageId: string): void;
  /** Asks for a different model, then requests another version of the response from it. */
  askOtherModel(session: ChatSession, messageId: string): void;
}

/** Runs the actions below a message. `reply` sends the result to the page that asked. */
export type MessageActionRunner = (
  session: ChatSession,
  action: MessageAction,
  messageId: string,
  reply: (message: ToWebview) => void,
) => void;

/** Creates the runner for the buttons below a message. */
export function createMessageActionRunner(context: MessageActionsContext): MessageActionRunner {
  const { structured } = context;
  return (session, action, messageId, reply) => {
    const withMessage = (run: (message: Message) => Promise<void>): void => {
      const message = session.state.find(messageId);
      if (message !== undefined) void run(message);
    };
    switch (action) {
      case "regenerate":
        return session.regenerate(messageId);
      case "continue":
        return session.continueResponse(messageId);
      case "selectVersion":
        return showVersion(session, messageId);
      case "fork":
        return context.fork(session, messageId);
      case "compareVersions":
        return void context.versionDiff.show(session, messageId);
      case "inspectRequest":
        return context.inspect(session, messageId);
      case "askOtherModel":
        return context.askOtherModel(session, messageId);
      case "retryShorter":
        return session.retryShorter(messageId);
      case "summarize":
        return context.summarize(session, messageId);
      case "retryWithoutParameter":
        return session.retryWithoutParameter(messageId);
      case "useTokenLimit":
        return session.retryWithTokenLimit(messageId);
      case "addCredit":
        return withMessage(({ error }) => openLink(error?.link ?? ""));
      case "continueTools":
        return session.continueTools(messageId);
      case "openToolResult":
        return withMessage((message) => context.tools.openResult(message));
      case "checkResponse":
        return withMessage((message) => structured.check(message, reply));
      case "retryWithErrors":
        return withMessage((message) => structured.retry(session, message));
      case "includeMessage":
        return session.includeMessage(messageId);
      case "saveJson":
        return withMessage((message) => structured.save(message));
      default:
        return assertNever(action);
    }
  };
}

/** Choosing one of several models continues with its response. */
function showVersion(session: ChatSession, messageId: string): void {
  const model = session.state.comparison.includes(messageId)
    ? session.state.find(messageId)?.model
    : undefined;
  if (model !== undefined) session.selectModel(model);
  session.selectVersion(messageId);
}

type HostAction = Exclude<ActionId, "retry">;
type ChatAction = Exclude<HostAction, RemedyBy<"anywhere">>;

/** The palette commands that a page can run. */
const commandActions = {
  selectModel: commandIds.selectModel,
  editChatSettings: commandIds.chatSettings,
  editSystemPrompt: commandIds.editSystemPrompt,
  selectTools: commandIds.selectTools,
  setResponseFormat: commandIds.setResponseFormat,
  showUsage: commandIds.showUsage,
} as const satisfies Readonly<Partial<Record<ChatAction, string>>>;

type OtherAction = Exclude<ChatAction, keyof typeof commandActions>;

/** Runs the actions that a page can request. */
export function createActionRunner(
  profiles: Profiles,
  others: Readonly<Record<OtherAction, () => Promise<unknown>>>,
): (action: HostAction, error: ErrorFacts | undefined) => void {
  return (action, error) => {
    if (isRemedyBy(action, "anywhere"))
      void runRemedy(action, { profiles, address: "inferenceBaseUrl", scheme: error?.scheme });
    else if (isCommandAction(action)) void vscode.commands.executeCommand(commandActions[action]);
    else void others[action]();
  };
}

function isCommandAction(action: ChatAction): action is keyof typeof commandActions {
  return Object.hasOwn(commandActions, action);
}
