import * as vscode from "vscode";
import { randomUUID } from "node:crypto";
import { codeInstruction } from "../../../core/compose/commands/slashCommands.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { CodeReply } from "../../../core/compose/editor/codeReply.ts";
import { commitMessageOf, commitMessages } from "../../../core/compose/editor/commitRequest.ts";
import { fixInstruction, longestInstruction } from "../../../core/compose/editor/editRequest.ts";
import { isRecord } from "../../../core/kernel/json.ts";
import { escapeCodicons, sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { LastEditor } from "../../shell/lastEditor.ts";
import {
  confirmRisk,
  showConfirmation,
  showErrorMessage,
  showInformationMessage,
  showInputBox,
  showQuickPick,
  showWarningMessage,
} from "../../shell/window.ts";
import { findRepositories, noRepository } from "../context/git.ts";
import type { GitRepository } from "../context/gitCommands.ts";
import { guardDiffs } from "../context/ignoreFiles.ts";
import { EditorRequests } from "./editorRequests.ts";
import type { EditorRequestsContext } from "./editorRequests.ts";
import { attachTarget, findTarget, followTarget } from "./editorTarget.ts";
import { InlineEdits } from "./inlineEdits.ts";

/**
 * Writes a message for the staged changes, or for all changes if nothing is staged, into the input box of Source
 * Control. What the user has written there is replaced only after a question, and comes back if no message is complete.
 */
async function writeCommitMessage(requests: EditorRequests, clicked: unknown): Promise<void> {
  const repository = await findRepository(clicked);
  if (repository === undefined) return;
  const { name, messageBox } = repository;
  const changes = await repository.readChanges().catch(() => undefined);
  if (changes === undefined)
    return void showErrorMessage(vscode.l10n.t("Git couldn't read the changes in {0}.", name));
  const all = changes.staged || (changes.unstaged ?? "");
  const [diff] = (await guardDiffs([all])) ?? [];
  if (diff === undefined) return;
  if (diff === "") {
    const words =
      all === ""
        ? vscode.l10n.t("There are no changes to describe in {0}. Stage new files first.", name)
        : vscode.l10n.t("There are no other changes to describe in {0}.", name);
    return void showInformationMessage(words);
  }
  await settleReports();
  const before = messageBox?.value ?? "";
  if (before.trim() !== "" && !(await mayReplace(before))) return;
  const box = new MessageBox(messageBox, before, () => requests.stop({ id }));
  const id = randomUUID();
  const reply = new CodeReply({ isMarkdown: true });
  const end = await requests.send({
    ...{ id, purpose: "commitMessage", reply },
    messages: commitMessages({ diff, messages: await repository.readMessages(), draft: before }),
    title: vscode.l10n.t("Writing commit message"),
    onProgress: () => box.write(commitMessageOf(reply.code) ?? ""),
  });
  const message = commitMessageOf(reply.code);
  if (end === "complete" && message !== undefined) {
    const untracked = changes.staged ? [] : (changes.untracked ?? []);
    if (untracked.length > 0) showConfirmation(untrackedNote(untracked));
    return await box.finish(message, name);
  }
  box.restore();
  if (end === "complete") void showWarningMessage(vscode.l10n.t("The model returned no commit message."));
  if (end === "cut")
    void showWarningMessage(vscode.l10n.t("The commit message was cut off, so it wasn't used. Retry."));
  if (end === "stopped") showConfirmation(vscode.l10n.t("Stopped. The commit message is unchanged."));
}

/**
 * VS Code reports what was written to an input box as if it had been typed, even when something else has been written
 * since. All reports have arrived once a command of the workbench has run; until then, those of a request that has just
 * been stopped would look like the user's own text.
 */
async function settleReports(): Promise<void> {
  await vscode.commands.executeCommand("setContext", "inferenceGateway.commitMessageReported", true);
}

/** New files aren't part of a diff until they are staged. */
function untrackedNote(paths: readonly string[]): string {
  const shown = paths.slice(0, 3).map((path) => sanitizeLabel(path, 60));
  const names = [...shown, ...(paths.length > shown.length ? ["…"] : [])].join(", ");
  return vscode.l10n.t("New files aren't described until you stage them: {0}", names);
}

/** The input box of a repository while a message is written into it. */
class MessageBox {
  readonly #box: GitRepository["messageBox"];
  readonly #before: string;
  readonly #onTyped: () => void;
  /**
   * Everything that was written to the box. VS Code reports each of these values back later, in order, as if it had
   * been typed.
   */
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

/** Asks if there are several. */
async function pickRepository(repositories: readonly GitRepository[]): Promise<GitRepository | undefined> {
  if (repositories.length < 2) return repositories[0];
  const items = repositories.map((repository) => ({ label: escapeCodicons(repository.name), repository }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Select the repository for the commit message"),
  });
  return picked?.repository;
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

interface EditorActionsContext extends EditorRequestsContext {
  /** Sends this in a new chat. */
  ask(composition: Composition): Promise<void>;
}

/** Actions on code where it is: in an editor, in a notebook cell and in Source Control. */
export class EditorActions implements vscode.Disposable {
  readonly edits: InlineEdits;
  readonly #requests: EditorRequests;
  readonly #context: EditorActionsContext;
  readonly #lastEditor = new LastEditor();

  constructor(context: EditorActionsContext) {
    this.#context = context;
    this.#requests = new EditorRequests(context);
    this.edits = new InlineEdits(this.#requests);
  }

  /** Asks how the code should be changed, and shows the change. */
  async editInline(clicked: unknown): Promise<void> {
    const target = await findTarget(clicked, this.#lastEditor, "line");
    if (typeof target === "string") return void showErrorMessage(target);
    const followed = followTarget(target);
    try {
      const instruction = await this.#askInstruction();
      if (instruction === undefined || instruction.trim() === "") return;
      await this.edits.start(followed, instruction, vscode.l10n.t("Edit"));
    } finally {
      followed.dispose();
    }
  }

  async #askInstruction(): Promise<string | undefined> {
    return await showInputBox({
      title: vscode.l10n.t("Edit Inline"),
      prompt: vscode.l10n.t("The change is shown before it is applied."),
      placeHolder: vscode.l10n.t("Describe the change"),
      ignoreFocusOut: true,
      validateInput: (text) =>
        text.length > longestInstruction
          ? vscode.l10n.t("Enter at most {0} characters.", formatNumber(longestInstruction))
          : undefined,
    });
  }

  /** Shows a change of the code that fixes its problems. */
  async fix(clicked: unknown): Promise<void> {
    const target = await findTarget(clicked, this.#lastEditor, "symbol");
    if (typeof target === "string") return void showErrorMessage(target);
    const followed = followTarget(target);
    await this.edits.start(followed, fixInstruction, vscode.l10n.t("Fix")).finally(() => followed.dispose());
  }

  /** Asks about the code in a new chat. */
  async explain(clicked: unknown): Promise<void> {
    const target = await findTarget(clicked, this.#lastEditor, "symbol");
    const parts = typeof target === "string" ? target : await attachTarget(target);
    if (typeof parts === "string") return void showErrorMessage(parts);
    if (parts.length > 0) await this.#context.ask({ text: codeInstruction("explain"), parts });
  }

  generateCommitMessage(clicked: unknown): Promise<void> {
    return writeCommitMessage(this.#requests, clicked);
  }

  /** Stops the change that was clicked or is shown, or in Source Control, its commit message; otherwise everything. */
  stop(clicked?: unknown): void {
    const id = this.edits.idOf(clicked);
    if (id !== undefined && this.#requests.isRunning(id)) this.#requests.stop({ id });
    else if (isRecord(clicked) && "rootUri" in clicked) this.#requests.stop({ purpose: "commitMessage" });
    else this.#requests.stop();
  }

  selectModel(): Promise<void> {
    return this.#requests.selectModel();
  }

  dispose(): void {
    this.edits.dispose();
    this.#requests.dispose();
    this.#lastEditor.dispose();
  }
}
