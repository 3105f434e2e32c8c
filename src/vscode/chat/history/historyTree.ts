import * as vscode from "vscode";
import type { ConversationSummary } from "../../../core/conversation.ts";
import type { ConversationGroup } from "../../../core/history/conversationGroups.ts";
import { listedTitle } from "../../../core/history/listedTitle.ts";
import { commandIds } from "../../commandIds.ts";
import type { HistoryNode } from "./historyNode.ts";

/** What the tree shows, loaded with its first look. */
export interface HistorySource {
  groups(): Promise<readonly ConversationGroup[]>;
  /** Another value whenever the groups may be others. */
  version(): Promise<string>;
}

/** Milliseconds between two looks at whether this or another window has changed something, while the view is seen. */
const lookMs = 1_000;

/** The tree "Conversations": loads nothing before it is seen, and asks for nothing while it is not. */
export class HistoryTree implements vscode.TreeDataProvider<HistoryNode>, vscode.Disposable {
  readonly #source: HistorySource;
  readonly #onDidChangeTreeData = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;
  #version: string | undefined;
  /** What is shown, as text: a version may change without anything that shows. */
  #shown = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(source: HistorySource) {
    this.#source = source;
  }

  async getChildren(node?: HistoryNode): Promise<HistoryNode[]> {
    if (node?.kind === "conversation") return [];
    if (node?.kind === "group")
      return node.group.conversations.map((conversation) => ({ kind: "conversation", conversation }));
    this.#version = await this.#source.version();
    const groups = await this.#source.groups();
    this.#shown = JSON.stringify(groups);
    return groups.map((group) => ({ kind: "group", group }));
  }

  getTreeItem(node: HistoryNode): vscode.TreeItem {
    return node.kind === "group" ? groupItem(node.group) : conversationItem(node.conversation);
  }

  setVisible(isVisible: boolean): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    if (!isVisible) return;
    void this.look();
    this.#timer = setInterval(() => void this.look(), lookMs);
  }

  /** Shows what has changed. */
  async look(): Promise<void> {
    if (this.#version === undefined) return;
    try {
      const version = await this.#source.version();
      if (version === this.#version) return;
      this.#version = version;
      const shown = JSON.stringify(await this.#source.groups());
      if (shown === this.#shown) return;
      this.#shown = shown;
      this.#onDidChangeTreeData.fire(undefined);
    } catch {
      // Told where the conversations are opened; the next look tries again.
    }
  }

  dispose(): void {
    clearInterval(this.#timer);
    this.#onDidChangeTreeData.dispose();
  }
}

function groupItem({ id, label, conversations }: ConversationGroup): vscode.TreeItem {
  const isOpen = id !== "month" && id !== "older";
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, isOpen ? Expanded : Collapsed);
  item.id = `group ${id}`;
  item.contextValue = "group";
  item.accessibilityInformation = {
    label:
      conversations.length === 1
        ? vscode.l10n.t("{0}, one conversation", label)
        : vscode.l10n.t("{0}, {1} conversations", label, conversations.length),
  };
  return item;
}

function conversationItem(conversation: ConversationSummary): vscode.TreeItem {
  const { id, updatedAt, createdAt, isPinned } = conversation;
  const title = listedTitle(conversation.title);
  const item = new vscode.TreeItem(title);
  const [changed, created] = [formatTime(updatedAt), formatTime(createdAt)];
  item.id = id;
  item.iconPath = new vscode.ThemeIcon(isPinned === true ? "pinned" : "comment-discussion");
  item.contextValue = isPinned === true ? "conversation pinned" : "conversation";
  item.tooltip = [title, vscode.l10n.t("Changed {0}", changed), vscode.l10n.t("Begun {0}", created)].join(
    "\n",
  );
  item.accessibilityInformation = {
    label:
      isPinned === true
        ? vscode.l10n.t("{0}, pinned, changed {1}", title, changed)
        : vscode.l10n.t("{0}, changed {1}", title, changed),
  };
  item.command = { command: commandIds.openConversation, title: vscode.l10n.t("Open"), arguments: [id] };
  return item;
}

function formatTime(time: number): string {
  return new Date(time).toLocaleString(vscode.env.language, { dateStyle: "medium", timeStyle: "short" });
}
