import assert from "node:assert/strict";
import { MessageTree } from "../../../src/core/conversation/messageTree.ts";
import { storedMessage } from "../../support/storeFolder.ts";

const message = (id: string, parentId?: string) =>
  storedMessage(id, parentId === undefined ? {} : { parentId });
const ids = (tree: MessageTree): readonly string[] => tree.path.map(({ id }) => id);

/** a ─ b ─ c, with the branch b2 ─ c2 ─ d2 next to b. */
const branched = [
  message("a"),
  message("b", "a"),
  message("c", "b"),
  message("b2", "a"),
  message("c2", "b2"),
  message("d2", "c2"),
];

describe("MessageTree", () => {
  it("shows the path to the latest message", () => {
    const tree = new MessageTree(branched);
    assert.deepEqual(ids(tree), ["a", "b2", "c2", "d2"]);
    assert.equal(tree.leafId, undefined);
  });

  it("shows the stored path, or the latest one if the stored path is unknown", () => {
    assert.deepEqual(ids(new MessageTree(branched, "c")), ["a", "b", "c"]);
    assert.deepEqual(ids(new MessageTree(branched, "gone")), ["a", "b2", "c2", "d2"]);
  });

  it("lists the versions of the messages on the path", () => {
    assert.deepEqual(new MessageTree(branched).versions, { b2: ["b", "b2"] });
  });

  it("shows a selected version down to its latest reply", () => {
    const tree = new MessageTree(branched);
    tree.select("b");
    assert.deepEqual(ids(tree), ["a", "b", "c"]);
    assert.equal(tree.leafId, "c");
    tree.select("b2");
    assert.deepEqual(ids(tree), ["a", "b2", "c2", "d2"]);
    assert.equal(tree.leafId, undefined);
  });

  it("shows an added message, and its parent when it is removed", () => {
    const tree = new MessageTree(branched, "c");
    tree.add(message("d", "c"));
    assert.deepEqual(ids(tree), ["a", "b", "c", "d"]);
    tree.remove(message("d", "c"));
    assert.deepEqual(ids(tree), ["a", "b", "c"]);
  });

  it("chains messages that were stored before versions existed", () => {
    const tree = new MessageTree([message("a"), message("b"), message("c")]);
    assert.deepEqual(ids(tree), ["a", "b", "c"]);
    assert.deepEqual(tree.versions, {});
  });

  it("lets a message whose parent is lost follow the one before it", () => {
    const tree = new MessageTree([message("a"), message("b", "a"), message("d", "lost"), message("e", "d")]);
    assert.deepEqual(ids(tree), ["a", "b", "d", "e"]);
  });

  it("shows side-by-side responses at the end of the path", () => {
    const tree = new MessageTree(branched, "b");
    tree.compare(["b", "b2"]);
    assert.deepEqual(
      tree.shown.map(({ id }) => id),
      ["a", "b", "b2"],
    );
  });

  it("handles 20,000 messages in one path", () => {
    const chain = Array.from({ length: 20_000 }, (_, index) =>
      message(`m${index}`, index === 0 ? undefined : `m${index - 1}`),
    );
    assert.equal(new MessageTree(chain).path.length, 20_000);
  });
});
