import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import { CodeReply } from "../../../core/compose/editor/codeReply.ts";
import { commitMessages } from "../../../core/compose/editor/commitRequest.ts";
import { isRecord } from "../../../core/kernel/json.ts";
import { pickRepository } from "../commands/commandChoices.ts";
import { findRepositories, noRepository } from "../context/git.ts";
import type { GitRepository } from "../context/gitCommands.ts";
import { guardDiff } from "../context/ignoreFiles.ts";
import {
  confirmRisk,
  showConfirmation,
  showErrorMessage,
  showInformationMessage,
  showWarningMessage,
} from "../../shell/window.ts";
import type { EditorRequests } from "./editorRequests.ts";

/**
 * Writes a message for the staged changes, or for all changes if nothing is staged, into the input box of Source Control.
 * What the user has written there is replaced only after a question, and comes back if no message is complete.
 */
export async function writeCommitMessage(requests: EditorRequests, clicked: unknown): Promise<void> {
  const repository = await findRepository(clicked);
  if (repository === undefined) return;
  const { name, messageBox } = repository;
  const changes = await repository.readChanges().catch(() => undefined);
  if (changes === undefined)
    return void showErrorMessage(vscode.l10n.t("Git couldn't read the changes in {0}.", name));
  const all = changes.staged || (changes.unstaged ?? "");
  const diff = await guardDiff(all);
  if (diff === undefined) return;
  if (diff === "") {
    const words =
      all === ""
        ? vscode.l10n.t("There are no changes to describe in {0}. Stage new files first.", name)
        : vscode.l10n.t("There are no other changes to describe in {0}.", name);
    return void showInformationMessage(words);
  }
  const before = messageBox?.value ?? "";
  if (before.trim() !== "" && !(await mayReplace(before))) return;
  const box = new MessageBox(messageBox, before, () => requests.stop({ id }));
  const id = randomUUID();
  const reply = new CodeReply({ isMarkdown: true });
  const end = await requests.send({
    ...{ id, purpose: "commitMessage", reply },
    messages: commitMessages({ diff, messages: await repository.readMessages(), draft: before }),
    title: vscode.l10n.t("Writing commit message"),
    onProgress: () => box.write(reply.code),
  });
  const message = reply.code.trim();
  if (end === "complete" && message !== "") return await box.finish(message, name);
  box.restore();
  if (end === "complete") void showWarningMessage(vscode.l10n.t("The model returned no commit message."));
  if (end === "cut")
    void showWarningMessage(vscode.l10n.t("The commit message was cut off and not used. Retry."));
  if (end === "stopped") showConfirmation(vscode.l10n.t("Stopped. The commit message is unchanged."));
}

/** The input box of a repository while a message is written into it. */
class MessageBox {
  readonly #box: GitRepository["messageBox"];
  readonly #before: string;
  readonly #onTyped: () => void;
  /** Everything that the box was given. VS Code reports each of these values back later, in order, as if it was typed. */
  readonly #written: Set<string>;
  #isTyped = false;

  /** @param onTyped The user has changed the text, which is no longer overwritten. */
  constructor(box: GitRepository["messageBox"], before: string, onTyped: () => void) {
    this.#box = box;
    this.#before = before;
    this.#written = new Set([before]);
    this.#onTyped = onTyped;
  }

  write(text: string): void {
    if (this.#box === undefined || this.#isTyped || text.trim() === "") return;
    if (!this.#written.has(this.#box.value)) {
      this.#isTyped = true;
      return this.#onTyped();
    }
    this.#written.add(text);
    this.#box.value = text;
  }

  restore(): void {
    if (this.#box !== undefined && !this.#isTyped && this.#written.has(this.#box.value))
      this.#box.value = this.#before;
  }

  /** Without an input box, the message can be copied. */
  async finish(message: string, name: string): Promise<void> {
    if (this.#box !== undefined) return this.write(message);
    const copy = vscode.l10n.t("Copy");
    const words = vscode.l10n.t("Commit message for {0}: {1}", name, message);
    if ((await showInformationMessage(words, copy)) === copy) await vscode.env.clipboard.writeText(message);
  }
}

/** The repository whose title was clicked, otherwise the only one or the one that the user chooses. */
async function findRepository(clicked: unknown): Promise<GitRepository | undefined> {
  const repositories = await findRepositories();
  const root = isRecord(clicked) ? clicked["rootUri"] : undefined;
  const clickedOne = repositories.find((repository) => repository.root.toString() === String(root));
  if (clickedOne !== undefined) return clickedOne;
  if (repositories.length === 0) showConfirmation(noRepository());
  return await pickRepository(repositories);
}

function mayReplace(message: string): Promise<boolean> {
  return confirmRisk({
    question: vscode.l10n.t("Replace the commit message?"),
    detail: message,
    accept: vscode.l10n.t("Replace"),
    decline: vscode.l10n.t("Don't Replace"),
    isExpected: true,
  });
}
