import assert from "node:assert/strict";
import type {
  CompletionEvent,
  CompletionObserver,
  CompletionPort,
} from "../../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../../src/core/kernel/errors.ts";
import {
  generateTitle,
  parseTitle,
  titleRequest,
} from "../../../../src/core/library/titles/generateTitle.ts";
import { storedMessage } from "../../../support/storeFolder.ts";

const turn = [storedMessage("q"), storedMessage("a", { role: "assistant", parentId: "q" })];

describe("titleRequest", () => {
  it("uses the conversation's model, without a limit that reasoning would use up, and only after the first turn", () => {
    const request = titleRequest(turn, "lab/echo");
    assert.deepEqual([request?.model, request?.maxTokens], ["lab/echo", undefined]);
    assert.equal(titleRequest(turn, undefined), undefined);
    assert.equal(titleRequest([...turn, storedMessage("q2")], "m"), undefined);
    assert.equal(titleRequest(turn.slice(0, 1), "m"), undefined);
  });

  it("returns nothing after a response that failed or was stopped", () => {
    for (const status of ["failed", "stopped", "streaming"] as const)
      assert.equal(
        titleRequest([storedMessage("q"), storedMessage("a", { role: "assistant", status })], "m"),
        undefined,
      );
  });

  it("limits the length of the messages that it sends", () => {
    const long = [storedMessage("q", { text: "x".repeat(1e6) }), storedMessage("a", { role: "assistant" })];
    assert.ok(JSON.stringify(titleRequest(long, "m")).length < 5_000);
  });

  it("never ends in half an emoji", () => {
    const text = `x${"😀".repeat(3_000)}`;
    const long = [storedMessage("q", { text }), storedMessage("a", { role: "assistant", text })];
    assert.ok(String(titleRequest(long, "m")?.messages[0]?.content).isWellFormed());
  });
});

describe("parseTitle", () => {
  it("removes what models put around a title", () => {
    for (const answer of [
      "Sorting in Rust",
      '"Sorting in Rust."',
      "# Title: Sorting in Rust\n",
      "**Sorting in Rust**",
      "<think>hm\nhm</think>\n\nSorting in Rust",
    ])
      assert.equal(parseTitle(answer), "Sorting in Rust", answer);
    assert.equal(parseTitle("数据库连接。"), "数据库连接");
  });

  it("accepts no explanations, lists or empty responses as a title", () => {
    for (const answer of ["", "  ", "Sure!\nHere is one", "a ".repeat(13), "x".repeat(81), '""'])
      assert.equal(parseTitle(answer), undefined, answer);
  });
});

describe("generateTitle", () => {
  const request = titleRequest(turn, "m") ?? assert.fail();
  const port = (
    events: readonly CompletionEvent[],
    onAsk?: (observer: CompletionObserver, stop: () => void) => void,
  ): CompletionPort => ({
    complete(_, observer) {
      let isStopped = false;
      const stop = (): void => void (isStopped = true);
      async function* stream() {
        await Promise.resolve();
        onAsk?.(observer, stop);
        for (const event of events) if (!isStopped) yield event;
      }
      return { events: stream(), stop };
    },
  });
  const words: readonly CompletionEvent[] = [
    { type: "text", text: "Sorting " },
    { type: "text", text: "in Rust" },
  ];

  it("returns the title", async () => {
    assert.equal(
      await generateTitle(port([...words, { type: "finish", reason: "stop" }]), request),
      "Sorting in Rust",
    );
  });

  it("returns nothing if the response was truncated", async () => {
    assert.equal(
      await generateTitle(port([...words, { type: "finish", reason: "length" }]), request),
      undefined,
    );
    assert.equal(await generateTitle(port(words), request), undefined);
  });

  it("is never retried", async () => {
    const error = new ServiceError({ reason: "unavailable", message: "Busy." });
    const retrying = port([...words, { type: "finish", reason: "stop" }], (observer) =>
      observer.onRetry?.({ attempt: 2, maxAttempts: 4, waitMs: 1, error, retryNow: () => undefined }),
    );
    assert.equal(await generateTitle(retrying, request), undefined);
  });
});
