import assert from "node:assert/strict";
import {
  groupConversations,
  listedTitle,
  pickedText,
  titleForMessages,
  searchTitle,
  withEqualTitles,
} from "../../../../src/core/library/history/conversationGroups.ts";

const now = new Date(2026, 10, 21, 9, 30).getTime();

describe("withEqualTitles", () => {
  it("returns the conversations whose titles look the same in the list", () => {
    const conversation = (id: string, title: string) => ({ id, title, createdAt: 0, updatedAt: 0 });
    const equal = withEqualTitles([
      conversation("1", "Same"),
      conversation("2", "Other"),
      conversation("3", "Same\n"),
    ]);
    assert.deepEqual(
      equal.map((group) => group.map(({ id }) => id)),
      [["1", "3"]],
    );
  });
});

describe("groupConversations", () => {
  it("groups by the day of the last change, with pinned ones first", () => {
    const conversation = (id: string, updatedAt: number, isPinned = false) => ({
      ...{ id, title: id, createdAt: 0, updatedAt },
      ...(isPinned ? { isPinned } : {}),
    });
    const groups = groupConversations(
      [
        conversation("now", now),
        conversation("midnight", new Date(2026, 10, 21).getTime()),
        conversation("last night", new Date(2026, 10, 20, 23, 59).getTime()),
        conversation("a week ago", new Date(2026, 10, 14).getTime()),
        conversation("this month", new Date(2026, 10, 1).getTime()),
        conversation("long ago", 0, false),
        conversation("kept", 1, true),
      ],
      { by: "time", now },
    );
    assert.deepEqual(
      groups.map(({ label, conversations }) => [label, conversations.map(({ id }) => id)]),
      [
        ["Pinned", ["kept"]],
        ["Today", ["now", "midnight"]],
        ["Yesterday", ["last night"]],
        ["Previous 7 Days", ["a week ago"]],
        ["Previous 30 Days", ["this month"]],
        ["Older", ["long ago"]],
      ],
    );
  });

  it("returns no groups without conversations", () => {
    assert.deepEqual(groupConversations([], { by: "time", now }), []);
  });

  it("counts changes with a future date as today", () => {
    const ahead = { id: "a", title: "a", createdAt: 0, updatedAt: now + 86_400_000 };
    assert.equal(groupConversations([ahead], { by: "time", now })[0]?.id, "today");
  });

  it("groups by workspace: the open one first, then the others by their latest conversation, then none", () => {
    const conversation = (id: string, updatedAt: number, workspace?: string) => ({
      ...{ id, title: id, createdAt: 0, updatedAt },
      ...(workspace === undefined ? {} : { workspace }),
    });
    const groups = groupConversations(
      [
        conversation("none", 9),
        conversation("remote", 8, "vscode-remote://ssh-remote%2Bgpu/srv/api"),
        conversation("other", 7, "file:///c%3A/work/My%20API/"),
        conversation("mine", 6, "file:///home/me/api.code-workspace"),
        { ...conversation("pinned", 5, "file:///home/me/api.code-workspace"), isPinned: true },
      ],
      { by: "workspace", now, workspace: "file:///home/me/api.code-workspace" },
    );
    assert.deepEqual(
      groups.map(({ label, detail, isOpen, conversations }) => [
        ...[label, detail, isOpen],
        ...conversations.map(({ id }) => id),
      ]),
      [
        ["api", "/home/me/api.code-workspace", true, "pinned", "mine"],
        ["api", "ssh-remote+gpu:/srv/api", false, "remote"],
        ["My API", "/c:/work/My API/", false, "other"],
        ["No Workspace", undefined, false, "none"],
      ],
    );
    assert.equal(new Set(groups.map(({ id }) => id)).size, groups.length);
  });

  it("groups by tag: in alphabetical order, once for each tag, with the others at the end", () => {
    const conversation = (id: string, ...tags: readonly string[]) => ({
      ...{ id, title: id, createdAt: 0, updatedAt: 0 },
      ...(tags.length === 0 ? {} : { tags }),
    });
    const groups = groupConversations(
      [conversation("a", "work", "Home"), conversation("b"), conversation("c", "Work")],
      { by: "tag", now },
    );
    assert.deepEqual(
      groups.map(({ label, conversations }) => [label, conversations.map(({ id }) => id)]),
      [
        ["Home", ["a"]],
        ["work", ["a", "c"]],
        ["No Tags", ["b"]],
      ],
    );
  });
});

describe("The title of a conversation", () => {
  it("is one line in a list, without characters that reorder it", () => {
    assert.equal(listedTitle("Two\nlines \u202etxt.exe"), "Two lines txt.exe");
    assert.equal(listedTitle("مرحبا <b>[x](y)</b>"), "مرحبا <b>[x](y)</b>");
  });

  it("shows no icons in a quick pick and no links in a notification", () => {
    assert.equal(pickedText("a $(trash) b"), String.raw`a \$(trash) b`);
    assert.equal(titleForMessages("[Undo](command:quit)"), "[Undo] (command:quit)");
  });
});

describe("searchTitle", () => {
  it("mentions if the results are incomplete", () => {
    assert.equal(searchTitle("Conversations", "all"), "Conversations");
    assert.equal(
      searchTitle("Conversations", "indexed"),
      "Conversations (older messages are still being indexed)",
    );
    assert.equal(searchTitle("Conversations", "cut"), "Conversations (there may be more; refine the search)");
  });
});
