import * as vscode from "vscode";
import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { inertText, sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { formatDate, formatNumber, secondOfDay } from "../../core/kernel/formatTime.ts";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import {
  workspacePath,
  listedTitle,
  withEqualTitles,
} from "../../core/library/history/conversationGroups.ts";
import type { ConversationGroup } from "../../core/library/history/conversationGroups.ts";
import { commandIds, showMoreCommand } from "../shell/commandIds.ts";
import { setContextKey } from "../shell/contextKey.ts";
import { remoteHostName } from "../shell/ownMachine.ts";
import type { HistoryNode } from "./historyNode.ts";

/** The content of the tree, loaded when it is first shown. */
interface HistorySource {
  groups(): Promise<readonly ConversationGroup[]>;
  /** Changes whenever the groups may have changed. */
  version(): Promise<string>;
  /** Why conversations can't be stored at the moment, which is shown above the rows. */
  trouble(): Promise<string>;
}

/** Milliseconds between two checks for changes in this or another window while the view is visible. */
const lookMs = 1_000;

/**
 * Number of rows in a group at first, and added with each "Show More". VS Code requests every row of an open group at
 * once.
 */
const firstRows = 100;
const moreRows = 200;

/** The "Conversations" tree. It loads nothing before it is visible, and requests nothing while it is hidden. */
export class HistoryTree implements vscode.TreeDataProvider<HistoryNode>, vscode.Disposable {
  readonly #source: HistorySource;
  readonly #view: { message?: string };
  #trouble = "";
  readonly #onDidChangeTreeData = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;
  #version: string | undefined;
  /** The visible content as text, because a version may change without any visible change. */
  #shown = "";
  /** Number of rows in each group for which the user has requested more. */
  readonly #rowCounts = new Map<string, number>();
  #timer: NodeJS.Timeout | undefined;

  constructor(source: HistorySource, view: { message?: string }) {
    this.#source = source;
    this.#view = view;
  }

  async getChildren(node?: HistoryNode): Promise<HistoryNode[]> {
    if (node?.kind === "group") return this.#rowsOf(node.group);
    if (node !== undefined) return [];
    try {
      this.#version = await this.#source.version();
      this.#showTrouble(await this.#source.trouble());
      const groups = await this.#source.groups();
      this.#shown = this.#textOf(groups);
      return groups.map((group) => ({ kind: "group", group }));
    } finally {
      // Until then, it isn't known whether the list is empty.
      setContextKey("inferenceGateway.conversations.areRead", true);
    }
  }

  /** The group of a row. */
  async getParent(node: HistoryNode): Promise<HistoryNode | undefined> {
    if (node.kind === "group") return undefined;
    const group = (await this.#source.groups()).find(({ id }) => id === node.groupId);
    return group && { kind: "group", group };
  }

  /** The first row of one of these conversations, which is shown from now on, however long its group is. */
  async find(ids: readonly string[]): Promise<HistoryNode | undefined> {
    const wanted = new Set(ids);
    for (const { id: groupId, conversations } of await this.#source.groups()) {
      const index = conversations.findIndex(({ id }) => wanted.has(id));
      const conversation = conversations[index];
      if (conversation === undefined) continue;
      if (index >= this.#rowCount(groupId)) {
        this.#rowCounts.set(groupId, index + moreRows);
        this.#onDidChangeTreeData.fire(undefined);
      }
      return { kind: "conversation", conversation, groupId };
    }
    return undefined;
  }

  #showTrouble(trouble: string): void {
    if (this.#trouble === trouble) return;
    this.#trouble = trouble;
    this.#view.message = inertText(trouble);
  }

  getTreeItem(node: HistoryNode): vscode.TreeItem {
    switch (node.kind) {
      case "group":
        return groupItem(node.group);
      case "conversation":
        return conversationItem(node);
      case "more":
        return moreItem(node);
    }
  }

  /** Shows the next rows of the group that the row "Show More" is for. */
  showMore(row: unknown): void {
    const groupId = isRecord(row) ? stringField(row, "groupId") : undefined;
    if (groupId === undefined) return;
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

  /** Shows any changes. */
  async look(): Promise<void> {
    if (this.#version === undefined) return;
    try {
      this.#showTrouble(await this.#source.trouble());
      const version = await this.#source.version();
      if (version === this.#version) return;
      this.#version = version;
      const shown = this.#textOf(await this.#source.groups());
      if (shown === this.#shown) return;
      this.#shown = shown;
      this.#onDidChangeTreeData.fire(undefined);
    } catch {
      // Reported when the conversations are opened. The next read tries again.
    }
  }

  #rowsOf({ id, conversations }: ConversationGroup): HistoryNode[] {
    const count = this.#rowCount(id);
    const listed = conversations.slice(0, count);
    const times = timesOfEqualTitles(listed);
    const rows = listed.map((conversation): HistoryNode => {
      const time = times.get(conversation.id);
      return { kind: "conversation", conversation, groupId: id, ...(time === undefined ? {} : { time }) };
    });
    if (conversations.length <= count) return rows;
    return [...rows, { kind: "more", groupId: id, count: conversations.length - count }];
  }

  #rowCount(groupId: string): number {
    return this.#rowCounts.get(groupId) ?? firstRows;
  }

  /** Only what is visible: including everything would take longer than displaying it. */
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

/** By ID, when conversations were last changed that can't be told apart by their titles. */
function timesOfEqualTitles(listed: readonly ConversationSummary[]): ReadonlyMap<string, string> {
  const today = new Date().toDateString();
  return new Map(
    withEqualTitles(listed).flatMap((conversations) => {
      const isToday = conversations.every(({ updatedAt }) => new Date(updatedAt).toDateString() === today);
      const format = isToday ? secondOfDay : formatDate;
      return conversations.map(({ id, updatedAt }) => [id, format(updatedAt)] as const);
    }),
  );
}

function groupItem({ id, label, detail, isOpen, conversations }: ConversationGroup): vscode.TreeItem {
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(label, isOpen ? Expanded : Collapsed);
  item.id = `group ${id}`;
  item.contextValue = "group";
  if (detail !== undefined) [item.description, item.tooltip] = [detail, `${label}\n${detail}`];
  item.accessibilityInformation = {
    label:
      conversations.length === 1
        ? vscode.l10n.t("{0}, one conversation", label)
        : vscode.l10n.t("{0}, {1} conversations", label, formatNumber(conversations.length)),
  };
  return item;
}

function conversationItem({
  conversation,
  groupId,
  time,
}: Extract<HistoryNode, { readonly kind: "conversation" }>): vscode.TreeItem {
  const { id, updatedAt, createdAt, isPinned, tags = [], workspace } = conversation;
  const title = listedTitle(conversation.title);
  const item = new vscode.TreeItem(title);
  const host = remoteHostName();
  const [changed, created] = [formatDate(updatedAt), formatDate(createdAt)];
  // A conversation is in one group only, unless it has several tags.
  item.id = groupId.startsWith("tag ") ? `${groupId} ${id}` : id;
  item.description = [...(time === undefined ? [] : [time]), ...tags.map((tag) => `#${tag}`)].join(" ");
  item.iconPath = new vscode.ThemeIcon(isPinned === true ? "pinned" : "comment-discussion");
  item.contextValue = isPinned === true ? "conversation pinned" : "conversation";
  item.tooltip = [
    title,
    vscode.l10n.t("Last changed {0}", changed),
    vscode.l10n.t("Started {0}", created),
    ...(workspace === undefined ? [] : [vscode.l10n.t("Workspace: {0}", workspacePath(workspace))]),
    ...(tags.length === 0 ? [] : [vscode.l10n.t("Tags: {0}", tags.join(", "))]),
    ...(host === undefined ? [] : [vscode.l10n.t("Stored on {0}", sanitizeLabel(host, 60))]),
  ].join("\n");
  const label =
    isPinned === true
      ? vscode.l10n.t("{0}, pinned, changed {1}", title, changed)
      : vscode.l10n.t("{0}, changed {1}", title, changed);
  item.accessibilityInformation = {
    label: tags.length === 0 ? label : vscode.l10n.t("{0}, tags: {1}", label, tags.join(", ")),
  };
  item.command = { command: commandIds.openConversation, title: vscode.l10n.t("Open"), arguments: [id] };
  return item;
}

function moreItem(node: Extract<HistoryNode, { readonly kind: "more" }>): vscode.TreeItem {
  const item = new vscode.TreeItem(vscode.l10n.t("Show More…"));
  item.id = `more ${node.groupId}`;
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.description =
    node.count === 1 ? vscode.l10n.t("1 more") : vscode.l10n.t("{0} more", formatNumber(node.count));
  item.command = {
    command: showMoreCommand,
    title: vscode.l10n.t("Show More…"),
    arguments: [node],
  };
  return item;
}

/**
 * The row that has the keyboard focus. VS Code exposes only the selected rows to extensions, so the focused row is
 * toggled in the selection and then toggled back.
 */
export async function readFocusedRow(view: vscode.TreeView<HistoryNode>): Promise<HistoryNode | undefined> {
  const before = view.selection;
  await toggleSelection();
  const after = view.selection;
  await toggleSelection();
  return after.find((node) => !before.includes(node)) ?? before.find((node) => !after.includes(node));
}

function toggleSelection(): Thenable<unknown> {
  return vscode.commands.executeCommand("list.toggleSelection");
}
