import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { groupConversations } from "../../../src/core/library/history/conversationGroups.ts";
import type { ConversationStore } from "../../../src/core/conversation/conversationStore.ts";
import { SqliteConversationStore } from "../../../src/storage/conversations/conversationStore.ts";
import { commandIds, showMoreCommand } from "../../../src/vscode/shell/commandIds.ts";
import { HistoryTree } from "../../../src/vscode/library/historyTree.ts";
import type { HistoryNode } from "../../../src/vscode/library/historyNode.ts";
import { activateExtension } from "./support/extensionContext.ts";

describe("The Conversations view", () => {
  let folder: string;
  let file: string;
  let store: ConversationStore;
  let tree: HistoryTree;

  before(activateExtension);
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "history-"));
    file = join(folder, "conversations.db");
    store = new SqliteConversationStore(file, { now: () => Date.now(), onProblem: assert.fail });
    tree = new HistoryTree(
      {
        groups: () => Promise.resolve(groupConversations(store.list(), { by: "time", now: Date.now() })),
        version: () => Promise.resolve(store.listVersion()),
        trouble: () => Promise.resolve(""),
      },
      {},
    );
  });
  afterEach(() => {
    tree.dispose();
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function save(id: string, title: string): void {
    const now = Date.now();
    store.save({ type: "conversation", fields: { id, title, createdAt: now, updatedAt: now } });
  }

  /** Saves two conversations, and pins the first one. */
  function saveBoth(): void {
    save("a", "First");
    save("b", "Second");
    store.save({ type: "pin", id: "a", isPinned: true });
  }

  async function labels(): Promise<readonly (readonly [unknown, readonly unknown[]])[]> {
    const groups = await tree.getChildren();
    const label = (node: HistoryNode): unknown => tree.getTreeItem(node).label;
    return Promise.all(
      groups.map(async (group) => [label(group), (await tree.getChildren(group)).map(label)] as const),
    );
  }

  it("groups conversations, with pinned ones first", async () => {
    assert.deepEqual(await labels(), []);
    saveBoth();
    assert.deepEqual(await labels(), [
      ["Pinned", ["First"]],
      ["Today", ["Second"]],
    ]);
  });

  it("shows the first hundred of many conversations, and the next ones on request", async () => {
    const many = Array.from({ length: 350 }, (_, index) => ({
      id: `m${index}`,
      title: `${index}`,
      createdAt: 1,
      updatedAt: Date.now() - index,
    }));
    const paged = new HistoryTree(
      {
        groups: () => Promise.resolve(groupConversations(many, { by: "time", now: Date.now() + 1 })),
        version: () => Promise.resolve("1"),
        trouble: () => Promise.resolve(""),
      },
      {},
    );
    const rows = async (): Promise<HistoryNode[]> => {
      const groups = await paged.getChildren();
      return (await Promise.all(groups.map((group) => paged.getChildren(group)))).flat();
    };
    // Some may be from yesterday if the test runs at midnight.
    assert.ok((await rows()).length <= 202);
    const more = (await rows()).at(-1);
    assert.ok(more?.kind === "more");
    assert.equal(paged.getTreeItem(more).command?.command, showMoreCommand);
    paged.showMore(more);
    paged.showMore(more);
    assert.ok((await rows()).length >= 350);
    paged.dispose();
  });

  it("describes each row to screen readers, and opens it on click", async () => {
    saveBoth();
    const [group] = await tree.getChildren();
    assert.ok(group);
    const [node] = await tree.getChildren(group);
    assert.ok(node);
    const item = tree.getTreeItem(node);
    assert.match(item.accessibilityInformation?.label ?? "", /^First, pinned, changed /u);
    assert.match(
      tree.getTreeItem(group).accessibilityInformation?.label ?? "",
      /^Pinned, one conversation$/u,
    );
    assert.deepEqual(item.command?.arguments, ["a"]);
    assert.ok((await vscode.commands.getCommands(true)).includes(commandIds.openConversation));
  });

  it("notifies VS Code of changes from another window, and only of those", async () => {
    saveBoth();
    // The tree requests nothing before it is shown.
    await labels();
    const other = new SqliteConversationStore(file, { now: () => Date.now(), onProblem: assert.fail });
    let told = 0;
    const subscription = tree.onDidChangeTreeData(() => told++);
    await tree.look();
    assert.equal(told, 0);
    other.save({ type: "title", id: "b", title: "Renamed", source: "user" });
    other.flush();
    await tree.look();
    assert.equal(told, 1);
    other.save({
      type: "draft",
      conversationId: "b",
      draft: { text: "nothing that shows", attachments: [] },
    });
    other.flush();
    await tree.look();
    assert.equal(told, 1);
    subscription.dispose();
    other.close();
    assert.ok((await labels()).flat(2).includes("Renamed"));
  });
});
