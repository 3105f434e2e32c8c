import { homedir } from "node:os";
import * as vscode from "vscode";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import { escapeInvisible } from "../../core/kernel/foreignText.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { instructionsFor, withInstructions } from "../../core/panel/settings/workspaceInstructions.ts";
import { readSetting } from "../shell/settings.ts";
import { sha256Hex } from "../shell/digest.ts";
import { fitsDialog, showWarningMessage } from "../shell/window.ts";

/** The file in a workspace folder. */
const fileName = ".github/chat-instructions.md";

/** In bytes: the text has to be completely visible in the dialog that confirms it. */
const largestFile = 16_000;

/** The key in the workspace's state of the user's decisions, by folder. */
const stateKey = "inferenceGateway.instructions";

/**
 * What every new conversation in this workspace starts with, in addition to the user's preset: the user's own
 * instructions for its folders, and those in a file of the workspace once the user has agreed to their text. The user
 * is asked again about a changed text, because otherwise, anyone who can change the file could influence the model
 * unnoticed.
 */
export class WorkspaceInstructions {
  readonly #state: vscode.Memento;
  #agreed: ReadonlyMap<string, string> = new Map();
  #preparing: Promise<void> | undefined;
  /** The text about which the user was already notified in this window, by folder. */
  readonly #notified = new Map<string, string>();

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /**
   * Reads the files, and asks about texts that the user hasn't seen. Call it before a new conversation. Chats that are
   * opened at the same time share one dialog.
   */
  prepare(): Promise<void> {
    this.#preparing ??= this.#prepare().finally(() => (this.#preparing = undefined));
    return this.#preparing;
  }

  async #prepare(): Promise<void> {
    const agreed = new Map<string, string>();
    const folders = vscode.workspace.isTrusted ? vscode.workspace.workspaceFolders : undefined;
    for (const { uri, name } of folders ?? []) {
      const text = await this.#readFile(uri, name);
      if (text !== undefined && (await this.#isAgreed(uri, name, text))) agreed.set(uri.toString(), text);
    }
    this.#agreed = agreed;
  }

  /** The settings with the instructions of all folders of the workspace. */
  addTo(settings: ConversationSettings): ConversationSettings {
    const value = readSetting("chat.instructions");
    const instructions = (vscode.workspace.workspaceFolders ?? []).flatMap(({ uri }) => {
      const folder = uri.scheme === "file" ? uri.fsPath : uri.toString(true);
      return [...instructionsFor(value, folder, homedir()), this.#agreed.get(uri.toString()) ?? ""];
    });
    return withInstructions(
      settings,
      instructions.filter((text) => text !== ""),
    );
  }

  async #readFile(folder: vscode.Uri, name: string): Promise<string | undefined> {
    const file = vscode.Uri.joinPath(folder, fileName);
    try {
      const { size } = await vscode.workspace.fs.stat(file);
      const bytes = size > largestFile ? undefined : await vscode.workspace.fs.readFile(file);
      // The model reads exactly what the user has seen.
      const text = bytes && escapeInvisible(new TextDecoder().decode(bytes).trim());
      if (text !== undefined && fitsDialog(detailOf(text))) return text === "" ? undefined : text;
      this.#notify(folder, vscode.l10n.t("{0} in {1} is too long and isn't used.", fileName, name));
      return undefined;
    } catch {
      return undefined;
    }
  }

  #notify(folder: vscode.Uri, sentence: string): void {
    if (this.#notified.get(folder.toString()) === sentence) return;
    this.#notified.set(folder.toString(), sentence);
    void showWarningMessage(sentence);
  }

  async #isAgreed(folder: vscode.Uri, name: string, text: string): Promise<boolean> {
    const hash = sha256Hex(text);
    const decisions = this.#state.get<unknown>(stateKey);
    const known = isRecord(decisions) ? decisions[folder.toString()] : undefined;
    if (isRecord(known) && known["hash"] === hash) return known["isUsed"] === true;
    const use = vscode.l10n.t("Use Instructions");
    const decline = vscode.l10n.t("Don't Use");
    const question = vscode.l10n.t("Use the instructions of {0} for new chats in this workspace?", name);
    const detail = detailOf(text);
    const picked = await showWarningMessage(question, { modal: true, detail }, decline, use);
    if (picked === undefined) return false;
    const decision = { hash, isUsed: picked === use };
    await this.#state.update(stateKey, {
      ...(isRecord(decisions) ? decisions : {}),
      [folder.toString()]: decision,
    });
    return decision.isUsed;
  }
}

function detailOf(text: string): string {
  return `${fileName}\n\n${text}`;
}
