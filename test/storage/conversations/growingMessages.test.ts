import assert from "node:assert/strict";
import { GrowingMessages } from "../../../src/storage/conversations/growingMessages.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const [first, second, elsewhere] = [
  { conversationId: "c1", messageId: "m1" },
  { conversationId: "c1", messageId: "m2" },
  { conversationId: "c2", messageId: "m1" },
] as const;

describe("GrowingMessages", () => {
  /** The number of leases that were given up. */
  let givenUp: number;
  beforeEach(() => (givenUp = 0));

  function createGrowing(): GrowingMessages {
    const growing = new GrowingMessages({ now: () => 1, monotonic: () => 1, add: () => givenUp++ });
    for (const place of [first, second, elsewhere]) growing.add(place, storedMessage(place.messageId));
    return growing;
  }

  it("distinguishes messages with the same ID in two conversations", () => {
    const growing = createGrowing();
    growing.delete(first);
    assert.deepEqual([growing.has(first), growing.has(elsewhere)], [false, true]);
    growing.giveUp();
  });

  it("removes all messages of a conversation", () => {
    const growing = createGrowing();
    growing.deleteConversation("c1");
    assert.deepEqual([growing.has(second), growing.has(elsewhere)], [false, true]);
    growing.giveUp();
    assert.equal(givenUp, 1);
  });

  it("abandons all messages, once", () => {
    const growing = createGrowing();
    growing.giveUp();
    growing.giveUp();
    assert.equal(givenUp, 3);
    assert.equal(growing.has(first), false);
  });
});
