import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../core/conversation/completion.ts";
import { summarize } from "../../core/conversation/summarize.ts";
import type { Summary } from "../../core/conversation/summarize.ts";
import { ServiceError, logFailure } from "../../core/kernel/errors.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import type { Log } from "../../core/kernel/log.ts";
import { showInformationMessage, showWarningMessage, withLateProgress } from "../shell/window.ts";
import type { Sessions } from "./sessions.ts";

interface SummarizeContext {
  readonly log: Log;
  readonly sessions: Sessions;
  /** The port that the conversation uses for requests. */
  completions(conversationId: string): CompletionPort;
  /** Shows the conversation. */
  open(conversationId: string): Promise<ChatSession>;
}

/**
 * Lets the model summarize the conversation up to this message and continues in a new conversation that starts with the
 * summary. If the response was rejected because the conversation is too long, its question isn't summarized, but
 * repeated there. The original isn't changed.
 */
export async function summarizeAndContinue(
  session: ChatSession,
  messageId: string,
  context: SummarizeContext,
): Promise<void> {
  const rejected = session.state.find(messageId);
  const path = session.state.pathTo(messageId);
  const isRejected = rejected?.error !== undefined;
  const asked = isRejected ? path.findLastIndex(({ role }) => role === "user") : path.length;
  const question = path[asked];
  const model = rejected?.model ?? session.state.model;
  if (model === undefined || (isRejected && question === undefined)) return;
  if (asked === 0) {
    const nothing = vscode.l10n.t(
      "There are no earlier messages to summarize. Shorten the message, or choose another model.",
    );
    return void showInformationMessage(nothing);
  }
  try {
    const run = summarize(context.completions(session.id), path.slice(0, asked), {
      model,
      ...(rejected?.error?.tokens === undefined ? {} : { tokens: rejected.error.tokens }),
    });
    const title = vscode.l10n.t("Summarizing the conversation with {0}…", model);
    const summary = await withLateProgress(title, ({ signal }) => {
      signal.addEventListener("abort", () => run.stop());
      return run.summary;
    });
    if (summary === undefined) return;
    const id = await context.sessions.forkWithSummary(session, requestText(summary), summary.text, model);
    const fork = await context.open(id);
    if (question !== undefined) fork.send(question.text, question.attachments);
  } catch (error) {
    logFailure(context.log, error);
    const why = error instanceof ServiceError ? error.message : vscode.l10n.t("See the log for details.");
    void showWarningMessage(vscode.l10n.t("The conversation wasn't summarized. {0}", why));
  }
}

/** The text of the user's message that precedes the summary in the new conversation. */
function requestText({ leftOut }: Summary): string {
  const request = vscode.l10n.t("Summarize our conversation so far.");
  if (leftOut === 0) return request;
  const note =
    leftOut === 1
      ? vscode.l10n.t("The oldest message was left out because it didn't fit.")
      : vscode.l10n.t(
          "The {0} oldest messages were left out because they didn't fit.",
          formatNumber(leftOut),
        );
  return `${request}\n\n${note}`;
}
