import assert from "node:assert/strict";
import { GrowingMessages } from "../../../src/storage/conversations/growingMessages.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const [first, second, elsewhere] = [
  { conversationId: "c1", messageId: "m1" },
  { conversationId: "c1", messageId: "m2" },
  { conversationId: "c2", messageId: "m1" },
] as const;

function createGrowing(): GrowingMessages {
  const growing = new GrowingMessages(() => undefined);
  for (const place of [first, second, elsewhere]) growing.add(place, storedMessage(place.messageId));
  return growing;
}

describe("GrowingMessages", () => {
  it("tells messages of the same id in two conversations apart", () => {
    const growing = createGrowing();
    growing.delete(first);
    assert.deepEqual([growing.has(first), growing.has(elsewhere)], [false, true]);
    growing.clear();
  });

  it("forgets all of a conversation", () => {
    const growing = createGrowing();
    growing.deleteConversation("c1");
    assert.deepEqual(growing.clear(), [elsewhere]);
  });

  it("gives back what there was when all of them are forgotten", () => {
    const growing = createGrowing();
    assert.deepEqual(growing.clear(), [first, second, elsewhere]);
    assert.deepEqual(growing.clear(), []);
  });
});
