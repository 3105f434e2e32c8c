import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import { commitMessageOf } from "../../../core/compose/editor/commitRequest.ts";
import type { TextPart } from "../../../core/conversation/completion.ts";
import type { Message } from "../../../core/conversation/conversation.ts";
import type { GitRepository } from "../context/gitCommands.ts";
import { showInformationMessage } from "../../shell/window.ts";

/** Waits for responses to `/commit` and offers them to Source Control. */
export class CommitOffers implements vscode.Disposable {
  readonly #waiting = new Map<ChatSession, () => void>();

  /** Treats the next complete response to a message with this attachment as a commit message for the repository. */
  expect(session: ChatSession, diff: TextPart, repository: GitRepository): void {
    this.#waiting.get(session)?.();
    const stopListening = session.subscribe((event) => {
      if (event.type !== "messageChanged" || !isResponseTo(diff, event.message, session)) return;
      this.#forget(session);
      const message = commitMessageOf(event.message.text);
      if (message !== undefined) void offer(message, repository);
    });
    this.#waiting.set(session, stopListening);
  }

  dispose(): void {
    for (const session of [...this.#waiting.keys()]) this.#forget(session);
  }

  #forget(session: ChatSession): void {
    this.#waiting.get(session)?.();
    this.#waiting.delete(session);
  }
}

function isResponseTo(diff: TextPart, { role, status, parentId }: Message, session: ChatSession): boolean {
  if (role !== "assistant" || status !== "complete" || parentId === undefined) return false;
  const attachments = session.state.find(parentId)?.attachments ?? [];
  return attachments.some((part) => part.type === "text" && part.text === diff.text);
}

/** The user has read the response in the chat, and only their click replaces the text in Source Control. */
async function offer(message: string, { name, messageBox }: GitRepository): Promise<void> {
  const copy = vscode.l10n.t("Copy");
  const use = messageBox?.value
    ? vscode.l10n.t("Replace Commit Message")
    : vscode.l10n.t("Use as Commit Message");
  const actions = messageBox === undefined ? [copy] : [use, copy];
  const answer = await showInformationMessage(
    vscode.l10n.t("Commit message for {0} inserted.", name),
    ...actions,
  );
  if (answer === copy) await vscode.env.clipboard.writeText(message);
  if (answer !== use || messageBox === undefined) return;
  messageBox.value = message;
  await vscode.commands.executeCommand("workbench.view.scm");
}
