import { randomUUID } from "node:crypto";
import * as vscode from "vscode";
import type { AnchoredPart, TextSpan } from "../../../core/compose/editor/editRequest.ts";
import { fillGaps } from "../../../core/responses/code/applyCode.ts";
import { CodeReply, replacementOf } from "../../../core/compose/editor/codeReply.ts";
import {
  editMessages,
  anchorPart,
  findOriginal,
  moveSpan,
  previewOf,
  replaceSpan,
} from "../../../core/compose/editor/editRequest.ts";
import { sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import { SingleRuns } from "../../../core/kernel/singleRuns.ts";
import { changeDocument, whyNotEditable } from "../../shell/changeDocument.ts";
import { clickedDiff, diffTabs, onDidCloseDiff } from "../../shell/diffTabs.ts";
import { findOpen } from "../../shell/readText.ts";
import {
  confirmRisk,
  showConfirmation,
  showHint,
  showErrorMessage,
  showWarningMessage,
} from "../../shell/window.ts";
import { proposalLenses } from "./codeActions.ts";
import type { EditorRequests, RequestEnd } from "./editorRequests.ts";
import { readEditedPart } from "./editorTarget.ts";
import type { EditorTarget } from "./editorTarget.ts";

/** The right side of the diff. The menus in package.json use this scheme, too. */
const editScheme = "inference-gateway-edit";

/** A change that a model proposes for a part of a document. */
interface InlineEdit {
  readonly id: string;
  readonly uri: vscode.Uri;
  /** The name of the file. */
  readonly name: string;
  /** The tab of the diff. */
  readonly title: string;
  /** The document with the change, which the diff shows. */
  readonly proposal: vscode.Uri;
  /** The part as it was sent. */
  readonly part: AnchoredPart;
  readonly reply: CodeReply;
  /** The text and the part in it as they were, whose lines and indentation the response may repeat. */
  readonly before: { readonly text: string; readonly span: TextSpan };
  /** Where the part is now. */
  span: TextSpan;
  state: RequestEnd | "running";
  /** The text that the diff showed last. */
  shown: string;
  /** What the user is asked to do, until it is done. */
  hint?: vscode.Disposable;
}

/**
 * Changes to parts of documents as a model writes them, each in a diff next to the current text. The document is
 * changed only when the user accepts, in one step that can be undone.
 */
export class InlineEdits implements vscode.Disposable {
  readonly #requests: EditorRequests;
  readonly #edits = new Map<string, InlineEdit>();
  readonly #accepting = new SingleRuns();
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #onDidChangeLenses = new vscode.EventEmitter<void>();
  readonly #disposable: vscode.Disposable;

  constructor(requests: EditorRequests) {
    this.#requests = requests;
    this.#disposable = vscode.Disposable.from(
      this.#onDidChange,
      this.#onDidChangeLenses,
      vscode.workspace.registerTextDocumentContentProvider(editScheme, {
        onDidChange: this.#onDidChange.event,
        provideTextDocumentContent: ({ query }) => this.#textOf(query),
      }),
      vscode.languages.registerCodeLensProvider("*", {
        onDidChangeCodeLenses: this.#onDidChangeLenses.event,
        provideCodeLenses: (document) => this.#lensesOf(document),
      }),
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        for (const edit of this.#editsOf(document)) {
          for (const { rangeOffset: offset, rangeLength: length, text } of contentChanges)
            edit.span = moveSpan(edit.span, { offset, length, text });
          this.#update(edit);
        }
      }),
      onDidCloseDiff(editScheme, (id) => {
        const edit = this.#edits.get(id);
        if (edit !== undefined) this.#discard(edit);
      }),
    );
  }

  /** Streams the change in a diff. The instruction is for the model, the label for the title of the diff. */
  async start(target: EditorTarget, instruction: string, label: string): Promise<void> {
    const { document } = target;
    const name = document.uri.path.split("/").at(-1) ?? "";
    const refusal = await whyNotEditable(document);
    if (refusal !== undefined) return void showErrorMessage(refusal);
    const part = await readEditedPart(target);
    if (part === undefined) return;
    if (typeof part === "string") return void showErrorMessage(part);
    const id = randomUUID();
    const edit: InlineEdit = {
      ...{ id, name, uri: document.uri, span: part.span, state: "running", shown: part.text },
      title: vscode.l10n.t("{0}: {1}", name, label),
      proposal: vscode.Uri.from({ scheme: editScheme, path: document.uri.path, query: id }),
      part: anchorPart(part.text, part.span),
      before: { text: part.text, span: part.span },
      reply: new CodeReply({ isMarkdown: part.languageId === "markdown" }),
    };
    this.#edits.set(id, edit);
    this.#onDidChangeLenses.fire();
    try {
      await setLanguage(edit, document.languageId);
      await showDiff(edit, target.range.start);
    } catch (error) {
      this.#discard(edit);
      throw error;
    }
    // The diff may already be closed.
    if (!this.#edits.has(id)) return;
    edit.state = await this.#requests.send({
      id,
      purpose: "inlineEdit",
      messages: editMessages(part, instruction),
      title: vscode.l10n.t("Editing {0}", name),
      reply: edit.reply,
      onProgress: () => this.#update(edit),
    });
    if (this.#edits.has(id)) await this.#finish(edit);
  }

  /** Applies the change with this ID, or the one in the active diff, once. False if there is none. */
  async accept(id?: unknown): Promise<boolean> {
    const edit = this.#find(id);
    if (edit !== undefined) await this.#accepting.run(edit.id, () => this.#accept(edit));
    return edit !== undefined;
  }

  /** Closes the diff and leaves the document as it is. False if there is none. */
  async reject(id?: unknown): Promise<boolean> {
    const edit = this.#find(id);
    if (edit !== undefined) await this.#close(edit);
    return edit !== undefined;
  }

  /** The ID of the change that was clicked, or of the one in the active diff. */
  idOf(clicked: unknown): string | undefined {
    return this.#find(clicked)?.id;
  }

  dispose(): void {
    for (const edit of this.#edits.values()) this.#discard(edit);
    this.#disposable.dispose();
  }

  #find(clicked: unknown): InlineEdit | undefined {
    return this.#edits.get(typeof clicked === "string" ? clicked : (clickedDiff(clicked, editScheme) ?? ""));
  }

  #editsOf({ uri }: vscode.TextDocument): readonly InlineEdit[] {
    return [...this.#edits.values()].filter((edit) => edit.uri.toString() === uri.toString());
  }

  #update(edit: InlineEdit): void {
    if (this.#edits.has(edit.id)) this.#onDidChange.fire(edit.proposal);
  }

  #textOf(id: string): string {
    const edit = this.#edits.get(id);
    if (edit === undefined) return "";
    const text = findOpen(edit.uri)?.getText();
    const span = text === undefined ? undefined : findOriginal(text, edit.part, edit.span);
    // While the part itself is changed, the diff stays as it is.
    if (text === undefined || span === undefined) return edit.shown;
    edit.shown = replaceSpan(text, span, codeOf(edit));
    return edit.shown;
  }

  #lensesOf(document: vscode.TextDocument): vscode.CodeLens[] {
    return this.#editsOf(document).flatMap((edit) => {
      const start = document.positionAt(edit.span.start);
      return proposalLenses(new vscode.Range(start, start), edit);
    });
  }

  async #finish(edit: InlineEdit): Promise<void> {
    this.#onDidChangeLenses.fire();
    const { reply, state, name } = edit;
    const isProse = reply.isProse(edit.part.original);
    if (reply.isEmpty || isProse) {
      await this.#close(edit);
      if (isProse)
        void showWarningMessage(
          vscode.l10n.t("{0} is unchanged, because the model returned no code: {1}", name, reply.code.trim()),
        );
      else if (state === "complete")
        void showWarningMessage(vscode.l10n.t("The model returned no code. {0} is unchanged.", name));
      else if (state === "stopped") showConfirmation(vscode.l10n.t("Stopped. {0} is unchanged.", name));
      return;
    }
    const { code, others } = replacement(edit);
    if (code === undefined) {
      await this.#close(edit);
      return offerCopy(vscode.l10n.t("The change doesn't fit {0}, which is unchanged.", name), reply.code);
    }
    this.#update(edit);
    if (state === "complete" && codeOf(edit) === edit.part.original.replaceAll("\r\n", "\n")) {
      await this.#close(edit);
      return showConfirmation(vscode.l10n.t("The model suggests no changes to {0}.", name));
    }
    edit.hint = showHint(reviewHint(edit, others));
  }

  async #accept(edit: InlineEdit): Promise<void> {
    if (edit.state === "running")
      return showConfirmation(vscode.l10n.t("Wait until the response is complete, or stop it first."));
    if (edit.state !== "complete" && !(await confirmIncomplete())) return;
    const document = await vscode.workspace.openTextDocument(edit.uri).then(undefined, () => undefined);
    // While the response was streaming, the document may have been deleted, changed, or made read-only.
    const gone = vscode.l10n.t("{0} can't be opened anymore, so the change wasn't applied.", edit.name);
    if (document === undefined) return void offerCopy(gone, codeOf(edit));
    const refusal = await whyNotEditable(document);
    if (refusal !== undefined) return void offerCopy(refusal, codeOf(edit));
    const before = document.getText();
    const span = findOriginal(before, edit.part, edit.span);
    const moved = vscode.l10n.t(
      "The lines in {0} have changed since the edit was requested, so it wasn't applied. Undo your changes and accept again, or copy the proposed code.",
      edit.name,
    );
    if (span === undefined) return void offerCopy(moved, codeOf(edit));
    if (!(await changeDocument(document, replaceSpan(before, span, codeOf(edit)))))
      return void offerCopy(vscode.l10n.t("{0} can't be changed.", edit.name), codeOf(edit));
    const column = diffTabs(editScheme, edit.id)[0]?.group.viewColumn ?? vscode.ViewColumn.Active;
    await this.#close(edit);
    // A cell is shown by its notebook.
    if (edit.uri.scheme !== "vscode-notebook-cell")
      await vscode.window.showTextDocument(document, { viewColumn: column, preview: false });
  }

  async #close(edit: InlineEdit): Promise<void> {
    this.#discard(edit);
    await vscode.window.tabGroups.close(diffTabs(editScheme, edit.id));
  }

  #discard(edit: InlineEdit): void {
    this.#edits.delete(edit.id);
    edit.hint?.dispose();
    this.#requests.stop({ id: edit.id });
    this.#onDidChangeLenses.fire();
  }
}

function reviewHint({ state, reply, name }: InlineEdit, others: readonly string[]): string {
  if (state !== "complete")
    return vscode.l10n.t("The response is incomplete. Review the changes to {0}.", name);
  if (others.length > 0)
    return vscode.l10n.t("The diff leaves out changes elsewhere: {0}", sanitizeLabel(others.join(" "), 120));
  return reply.blocks.length > 1
    ? vscode.l10n.t("The response has several code blocks. The diff shows the one that fits best.")
    : vscode.l10n.t("Review the changes to {0}, then accept or reject them.", name);
}

function replacement({ reply, before, state }: InlineEdit): ReturnType<typeof replacementOf> {
  return replacementOf(reply, before.text, before.span, state === "complete");
}

/** The text that accepting writes. An incomplete response leaves the lines that it hasn't reached unchanged. */
function codeOf(edit: InlineEdit): string {
  const { original } = edit.part;
  const { code = original } = replacement(edit);
  return edit.state === "complete" ? fillGaps(original, code) : previewOf(original, code);
}

/** The name of an unsaved file or a notebook doesn't reveal the language of the proposal. */
async function setLanguage({ proposal }: InlineEdit, languageId: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(proposal);
  if (document.languageId !== languageId)
    await vscode.languages.setTextDocumentLanguage(document, languageId);
}

async function showDiff({ uri, proposal, title }: InlineEdit, start: vscode.Position): Promise<void> {
  const selection = new vscode.Range(start, start);
  await vscode.commands.executeCommand("vscode.diff", uri, proposal, title, { preview: false, selection });
}

function confirmIncomplete(): Promise<boolean> {
  return confirmRisk({
    question: vscode.l10n.t("Apply an incomplete response?"),
    detail: vscode.l10n.t(
      "The response was stopped or cut off. Lines that it didn't reach stay as they are.",
    ),
    accept: vscode.l10n.t("Apply Anyway"),
    decline: vscode.l10n.t("Don't Apply"),
    isExpected: true,
  });
}

/** Explains why the code isn't applied. The diff stays open, and the code can be used elsewhere. */
async function offerCopy(words: string, code: string): Promise<void> {
  const copy = vscode.l10n.t("Copy Code");
  if ((await showWarningMessage(words, copy)) === copy) await vscode.env.clipboard.writeText(code);
}
