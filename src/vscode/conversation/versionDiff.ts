import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import { TextDocuments } from "../shell/textDocuments.ts";
import { showQuickPick } from "../shell/window.ts";

/** Shows two versions of a message in VS Code's diff editor. */
export class VersionDiff implements vscode.Disposable {
  readonly #texts = new TextDocuments("inference-gateway-message");

  /** Compares the message with its previous version. Asks which version to compare with if there are more than two. */
  async show(session: ChatSession, messageId: string): Promise<void> {
    const message = session.state.find(messageId);
    if (message === undefined) return;
    const ids = session.state.versionsOf(message);
    const others = ids.filter((id) => id !== messageId).flatMap((id) => session.state.find(id) ?? []);
    const other = others.length > 1 ? await pickVersion(others, ids) : others[0];
    if (other === undefined) return;
    const [left, right] =
      ids.indexOf(other.id) < ids.indexOf(messageId) ? [other, message] : [message, other];
    const title = vscode.l10n.t(
      "Version {0} ↔ Version {1}",
      String(ids.indexOf(left.id) + 1),
      String(ids.indexOf(right.id) + 1),
    );
    await vscode.commands.executeCommand("vscode.diff", this.#open(left), this.#open(right), title);
  }

  dispose(): void {
    this.#texts.dispose();
  }

  /** The length gives a message that has grown a different URI, because VS Code caches content by URI. */
  #open({ id, model, role, text }: Message): vscode.Uri {
    return this.#texts.create(`${model ?? role}.md`, `${id}-${text.length}`, text);
  }
}

async function pickVersion(others: readonly Message[], ids: readonly string[]): Promise<Message | undefined> {
  const items = others.map((message) => ({
    label: vscode.l10n.t("Version {0}", String(ids.indexOf(message.id) + 1)),
    description: message.model ?? "",
    detail: message.text.slice(0, 200).replaceAll(/\s+/g, " "),
    message,
  }));
  const picked = await showQuickPick(items, { title: vscode.l10n.t("Compare with…") });
  return picked?.message;
}
