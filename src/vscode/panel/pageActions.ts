import * as vscode from "vscode";
import { isRemedyBy } from "../../core/account/remedies.ts";
import type { RemedyBy } from "../../core/account/remedies.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import type { Profiles } from "../account/profiles/profiles.ts";
import { runRemedy } from "../account/runRemedy.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import type { ActionId, MessageAction } from "../../core/panel/pageActions.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import { openLink } from "../shell/openLink.ts";
import type { StructuredOutput } from "../responses/structured/structuredOutput.ts";
import type { ChatTools } from "../responses/tools/chatTools.ts";
import type { VersionDiff } from "../conversation/versionDiff.ts";

/** Runs the action below a message. `reply` sends the result to the page that asked. */
type MessageStep = (
  session: ChatSession,
  message: Message,
  reply: (message: ToWebview) => void,
) => Promise<unknown> | void;

/** The actions below a message, each with what it does. */
export type MessageSteps = Readonly<Record<MessageAction, MessageStep>>;

interface MessageStepsContext {
  readonly versionDiff: VersionDiff;
  readonly structured: StructuredOutput;
  readonly tools: ChatTools;
}

/** Creates the steps that don't need other conversations or models. */
export function createMessageSteps({ versionDiff, structured, tools }: MessageStepsContext) {
  return {
    regenerate: (session, { id }) => session.regenerate(id),
    continue: (session, { id }) => session.continueResponse(id),
    selectVersion: showVersion,
    compareVersions: (session, { id }) => versionDiff.show(session, id),
    retryShorter: (session, { id }) => session.retryShorter(id),
    retryWithoutParameter: (session, { id }) => session.retryWithoutRejected(id),
    retryWithoutInput: (session, { id }) => session.retryWithoutRejected(id),
    useTokenLimit: (session, { id }) => session.retryWithTokenLimit(id),
    addCredit: (_, { error }) => openLink(error?.link ?? ""),
    continueTools: (session, { id }) => session.continueTools(id),
    openToolResult: (_, message) => tools.openResult(message),
    checkResponse: (_, message, reply) => structured.check(message, reply),
    retryWithErrors: (session, message) => structured.retry(session, message),
    saveJson: (_, message) => structured.save(message),
    includeMessage: (session, { id }) => session.includeMessage(id),
  } as const satisfies Partial<MessageSteps>;
}

/** Choosing one of several models continues with its response. */
function showVersion(session: ChatSession, { id, model }: Message): void {
  if (model !== undefined && session.state.comparison.includes(id)) session.selectModel(model);
  session.selectVersion(id);
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
