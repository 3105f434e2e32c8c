import * as vscode from "vscode";
import type { CodeRequest } from "../../../core/responses/code/codeRequest.ts";
import { findApplyTarget } from "./applyTarget.ts";
import { passBoundaryForWriting } from "../../shell/fileBoundary.ts";
import { insertAtCursor, openAsNewFile } from "./insertCode.ts";
import { LastEditor } from "../../shell/lastEditor.ts";
import { Proposals } from "./proposals.ts";
import { runInTerminal } from "./runInTerminal.ts";
import { showErrorMessage } from "../../shell/window.ts";

/** What the page's code blocks can have done; each action tells the user itself where it can't be done. */
export class CodeActions implements vscode.Disposable {
  readonly proposals = new Proposals();
  readonly #lastEditor = new LastEditor();

  async run({ action, code, language, fileName }: CodeRequest): Promise<void> {
    try {
      switch (action) {
        case "insert":
          return await insertAtCursor(code, language, this.#lastEditor);
        case "newFile":
          return await openAsNewFile(code, language);
        case "run":
          return await runInTerminal(code, language ?? "");
        case "apply":
          return await this.#apply(code, fileName);
      }
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      void showErrorMessage(vscode.l10n.t("Failed: {0}", words));
    }
  }

  dispose(): void {
    this.proposals.dispose();
    this.#lastEditor.dispose();
  }

  async #apply(code: string, fileName: string | undefined): Promise<void> {
    const target = await findApplyTarget(fileName);
    if (target === undefined) return;
    const uri = await passBoundaryForWriting(target.uri);
    if (uri !== undefined) await this.proposals.show({ ...target, uri }, code);
  }
}
