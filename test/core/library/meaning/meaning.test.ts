import assert from "node:assert/strict";
import {
  passagesOf,
  passageSnippet,
  BestMatches,
  quantize,
  similarity,
} from "../../../../src/core/library/meaning/passages.ts";
import type { Message } from "../../../../src/core/conversation/conversation.ts";
import { createRandom } from "../../../support/random.ts";
import { storedMessage } from "../../../support/storeFolder.ts";

describe("The passages of a conversation", () => {
  const passages = (...messages: readonly Message[]) => [...passagesOf({ messages })];

  it("contain every word that was said once, in pieces that every embedding model accepts", () => {
    const text = Array.from(
      { length: 2_000 },
      (_, index) => `word${index}${index % 50 === 0 ? "\n\n" : " "}`,
    ).join("");
    const found = passages(storedMessage("m", { text }));
    assert.ok(found.length > 5);
    assert.ok(found.every((passage) => passage.text.length <= 1_200));
    assert.equal(
      found
        .map((passage) => passage.text)
        .join(" ")
        .replace(/\s+/gu, " "),
      text.replace(/\s+/gu, " ").trim(),
    );
    assert.deepEqual(
      found.map(({ part }) => part),
      [...found.keys()],
    );
  });

  it("leave out tools, streaming responses and empty texts, and bound very long messages", () => {
    const found = passages(
      storedMessage("tool", { role: "tool", text: "secret file" }),
      storedMessage("growing", { role: "assistant", status: "streaming", text: "half" }),
      storedMessage("empty", { text: " \n" }),
      storedMessage("long", { text: "x".repeat(10_000_000) }),
    );
    assert.deepEqual(new Set(found.map(({ messageId }) => messageId)), new Set(["long"]));
    assert.equal(found.length, 40);
  });

  it("never cut a character in half", () => {
    const found = passages(storedMessage("m", { text: `a${"😀".repeat(2_000)}` }));
    for (const { text } of found) assert.doesNotThrow(() => encodeURIComponent(text));
    assert.doesNotThrow(() => encodeURIComponent(passageSnippet(`a${"😀".repeat(200)}`)));
  });

  it("have hashes that differ with the text", () => {
    const hashes = Array.from(
      { length: 20_000 },
      (_, index) => passages(storedMessage("m", { text: `t ${index}` }))[0]?.hash,
    );
    assert.equal(new Set(hashes).size, hashes.length);
    const [first, second] = passages(
      storedMessage("a", { text: "same" }),
      storedMessage("b", { text: "same" }),
    );
    assert.equal(first?.hash, second?.hash);
  });
});

describe("Vectors", () => {
  it("rank like the embeddings that they were created from", () => {
    const random = createRandom(5);
    const embedding = (): number[] => Array.from({ length: 768 }, () => random() - 0.5);
    const query = embedding();
    for (let round = 0; round < 20; round++) {
      const noise = embedding();
      const near = query.map((value, index) => 0.8 * value + 0.6 * (noise[index] ?? 0));
      const exact =
        query.reduce((sum, value, index) => sum + value * (near[index] ?? 0), 0) /
        (Math.hypot(...query) * Math.hypot(...near));
      const [left, right] = [quantize(query), quantize(near)];
      assert.ok(left !== undefined && right !== undefined);
      assert.ok(Math.abs(similarity(left, right) - exact) < 0.01);
    }
  });

  it("have no similarity across models, and no similarity without a direction", () => {
    const [left, right] = [quantize([1, 0]), quantize([1, 0, 0])];
    assert.ok(left !== undefined && right !== undefined);
    assert.equal(similarity(left, right), 0);
    assert.equal(similarity(left, { values: new Int8Array(2), norm: 0 }), 0);
    for (const none of [[], [0, 0], [NaN], [Infinity, 1]]) assert.equal(quantize(none), undefined);
  });

  it("return one match for each conversation, and none that is merely the least dissimilar", () => {
    const best = new BestMatches(2);
    const add = (conversationId: string, messageId: string, score: number): void =>
      best.add({ conversationId, messageId, snippet: "", score });
    add("a", "1", 0.5);
    add("a", "2", 0.8);
    add("b", "3", 0.7);
    add("c", "4", 0.65);
    add("d", "5", 0.3);
    assert.deepEqual(
      best.matches.map(({ messageId }) => messageId),
      ["2", "3"],
    );
    const none = new BestMatches(2);
    none.add({ conversationId: "a", messageId: "1", snippet: "", score: 0.1 });
    assert.deepEqual(none.matches, []);
  });
});
