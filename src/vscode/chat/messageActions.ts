import { assertNever } from "../../core/assertNever.ts";
import type { ChatSession } from "../../core/chatSession.ts";
import type { MessageAction } from "../../core/protocol.ts";
import type { VersionDiff } from "./versionDiff.ts";

export interface MessageActionsContext {
  readonly versionDiff: VersionDiff;
  /** Opens a new conversation with all up to this message. */
  fork(session: ChatSession, messageId: string): void;
  inspect(session: ChatSession, messageId: string): void;
  /** Asks for another model, and then it for another version of the answer. */
  askOtherModel(session: ChatSession, messageId: string): void;
}

/** What the buttons under a message do. */
export function createMessageActionRunner(context: MessageActionsContext) {
  return (session: ChatSession, action: MessageAction, messageId: string): void => {
    switch (action) {
      case "regenerate":
        return session.regenerate(messageId);
      case "continue":
        return session.continueAnswer(messageId);
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
      default:
        return assertNever(action);
    }
  };
}

/** Whoever chooses one of several models goes on with it. */
function showVersion(session: ChatSession, messageId: string): void {
  const model = session.comparison.includes(messageId) ? session.find(messageId)?.model : undefined;
  if (model !== undefined) session.selectModel(model);
  session.selectVersion(messageId);
}
