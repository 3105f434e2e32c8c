import assert from "node:assert/strict";
import { groupConversations } from "../../../../src/core/library/history/conversationGroups.ts";

const now = new Date(2026, 10, 21, 9, 30).getTime();

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
      now,
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
    assert.deepEqual(groupConversations([], now), []);
  });

  it("counts changes with a future date as today", () => {
    const ahead = { id: "a", title: "a", createdAt: 0, updatedAt: now + 86_400_000 };
    assert.equal(groupConversations([ahead], now)[0]?.id, "today");
  });
});
