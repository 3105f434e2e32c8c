import * as vscode from "vscode";
import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import type { ConversationGroup, GroupId } from "../../core/library/history/conversationGroups.ts";
import { listedTitle } from "../../core/library/history/listedTitle.ts";
import { commandIds } from "../shell/commandIds.ts";
import { formatListedTime } from "./formatListedTime.ts";
import type { HistoryNode } from "./historyNode.ts";

/** What the tree shows, loaded with its first look. */
export interface HistorySource {
  groups(): Promise<readonly ConversationGroup[]>;
  /** Another value whenever the groups may be others. */
  version(): Promise<string>;
  /** Shows above the rows why conversations can't be stored now. */
  showTrouble(): Promise<void>;
}

/** Milliseconds between two looks at whether this or another window has changed something, while the view is seen. */
const lookMs = 1_000;

/** Rows of a group at first, and with each "Show More": VS Code asks for every row of an open group at once. */
const firstRows = 100;
const moreRows = 200;

/** The tree "Conversations": loads nothing before it is seen, and asks for nothing while it is not. */
export class HistoryTree implements vscode.TreeDataProvider<HistoryNode>, vscode.Disposable {
  readonly #source: HistorySource;
  readonly #onDidChangeTreeData = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;
  #version: string | undefined;
  /** What is shown, as text: a version may change without anything that shows. */
  #shown = "";
  /** How many rows a group shows where the user has asked for more. */
  readonly #rowCounts = new Map<GroupId, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(source: HistorySource) {
    this.#source = source;
  }

  async getChildren(node?: HistoryNode): Promise<HistoryNode[]> {
    if (node?.kind === "group") return this.#rowsOf(node.group);
    if (node !== undefined) return [];
    this.#version = await this.#source.version();
    await this.#source.showTrouble();
    const groups = await this.#source.groups();
    this.#shown = this.#textOf(groups);
    return groups.map((group) => ({ kind: "group", group }));
  }

  getTreeItem(node: HistoryNode): vscode.TreeItem {
    switch (node.kind) {
      case "group":
        return groupItem(node.group);
      case "conversation":
        return conversationItem(node.conversation);
      case "more":
        return moreItem(node);
    }
  }

  /** Shows the next rows of the group. */
  showMore(groupId: GroupId): void {
    this.#rowCounts.set(groupId, this.#rowCount(groupId) + moreRows);
    this.#onDidChangeTreeData.fire(undefined);
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
      await this.#source.showTrouble();
      const version = await this.#source.version();
      if (version === this.#version) return;
      this.#version = version;
      const shown = this.#textOf(await this.#source.groups());
      if (shown === this.#shown) return;
      this.#shown = shown;
      this.#onDidChangeTreeData.fire(undefined);
    } catch {
      // Reported where the conversations are opened. The next read tries again.
    }
  }

  #rowsOf({ id, conversations }: ConversationGroup): HistoryNode[] {
    const count = this.#rowCount(id);
    const rows = conversations
      .slice(0, count)
      .map((conversation): HistoryNode => ({ kind: "conversation", conversation }));
    if (conversations.length <= count) return rows;
    return [...rows, { kind: "more", groupId: id, count: conversations.length - count }];
  }

  #rowCount(groupId: GroupId): number {
    return this.#rowCounts.get(groupId) ?? firstRows;
  }

  /** Of what shows, not of all there is: that would take longer than showing it. */
  #textOf(groups: readonly ConversationGroup[]): string {
    return JSON.stringify(
      groups.map(({ id, conversations }) => [
        id,
        conversations.length,
        conversations.slice(0, this.#rowCount(id)),
      ]),
    );
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
  const [changed, created] = [formatListedTime(updatedAt), formatListedTime(createdAt)];
  item.id = id;
  item.iconPath = new vscode.ThemeIcon(isPinned === true ? "pinned" : "comment-discussion");
  item.contextValue = isPinned === true ? "conversation pinned" : "conversation";
  item.tooltip = [
    title,
    vscode.l10n.t("Last changed {0}", changed),
    vscode.l10n.t("Started {0}", created),
  ].join("\n");
  item.accessibilityInformation = {
    label:
      isPinned === true
        ? vscode.l10n.t("{0}, pinned, changed {1}", title, changed)
        : vscode.l10n.t("{0}, changed {1}", title, changed),
  };
  item.command = { command: commandIds.openConversation, title: vscode.l10n.t("Open"), arguments: [id] };
  return item;
}

function moreItem(node: Extract<HistoryNode, { readonly kind: "more" }>): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("Show More…"));
  item.id = `more ${node.groupId}`;
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.description = node.count === 1 ? vscode.l10n.t("1 more") : vscode.l10n.t("{0} more", node.count);
  item.command = {
    command: commandIds.showMoreConversations,
    title: vscode.l10n.t("Show More…"),
    arguments: [node],
  };
  return item;
}
