import * as vscode from "vscode";
import { codeInstruction } from "../../../core/compose/commands/slashCommands.ts";
import type { Composition } from "../../../core/compose/context/contextProtocol.ts";
import { editInstructions, longestInstruction } from "../../../core/compose/editor/editRequest.ts";
import type { EditKind } from "../../../core/compose/editor/editRequest.ts";
import { isRecord } from "../../../core/kernel/json.ts";
import { LastEditor } from "../../shell/lastEditor.ts";
import { showErrorMessage, showInputBox } from "../../shell/window.ts";
import { writeCommitMessage } from "./commitMessages.ts";
import { EditorRequests } from "./editorRequests.ts";
import type { EditorRequestsContext } from "./editorRequests.ts";
import { attachTarget, findTarget, followTarget } from "./editorTarget.ts";
import { InlineEdits } from "./inlineEdits.ts";

export interface EditorActionsContext extends EditorRequestsContext {
  /** Sends this in a new chat. */
  ask(composition: Composition): Promise<void>;
}

/** What can be done with code where it is: in an editor, in a notebook cell and in Source Control. */
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
          ? vscode.l10n.t("Enter at most {0} characters.", longestInstruction)
          : undefined,
    });
  }

  /** Shows a change of the code. */
  async edit(kind: EditKind, clicked: unknown): Promise<void> {
    const target = await findTarget(clicked, this.#lastEditor, "symbol");
    if (typeof target === "string") return void showErrorMessage(target);
    const followed = followTarget(target);
    await this.edits
      .start(followed, editInstructions[kind], labels()[kind])
      .finally(() => followed.dispose());
  }

  /** Sends the code with a question in a new chat. */
  async ask(about: "explain" | "tests", clicked: unknown): Promise<void> {
    const target = await findTarget(clicked, this.#lastEditor, "symbol");
    const parts = typeof target === "string" ? target : await attachTarget(target);
    if (typeof parts === "string") return void showErrorMessage(parts);
    if (parts.length > 0) await this.#context.ask({ text: codeInstruction(about), parts });
  }

  generateCommitMessage(clicked: unknown): Promise<void> {
    return writeCommitMessage(this.#requests, clicked);
  }

  /** Stops the change that was clicked or is shown, or in Source Control, its commit message; otherwise everything. */
  stop(clicked: unknown): void {
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

function labels(): Readonly<Record<EditKind, string>> {
  return {
    fix: vscode.l10n.t("Fix"),
    document: vscode.l10n.t("Document"),
    refactor: vscode.l10n.t("Refactor"),
  };
}
