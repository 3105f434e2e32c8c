import assert from "node:assert/strict";
import * as v from "valibot";
import { PageMessages, rule } from "../../../src/core/kernel/pageMessages.ts";
import type { MessageHandlers, MessageOf } from "../../../src/core/kernel/pageMessages.ts";

const rules = [
  rule("short", { size: 1_000, burst: 3, perSecond: 1 }, { text: v.exactOptional(v.string()) }),
  rule("broken", { size: 1_000, burst: 3, perSecond: 1 }, { isLate: v.boolean() }),
];
type Message = MessageOf<typeof rules>;

describe("A message from a page", () => {
  let now = 0;
  const open = () => {
    const seen: unknown[] = [];
    const fail = new Error("broken");
    const handlers: MessageHandlers<Message> = {
      short: (message) => seen.push(message),
      broken: ({ isLate }) => {
        if (!isLate) throw fail;
        return Promise.reject(fail);
      },
    };
    const messages = new PageMessages<Message>({
      ...{ rules, handlers, now: () => now },
      onRefused: (refusal) => seen.push(refusal),
      onError: (error) => seen.push(error),
    });
    return { seen, fail, messages };
  };
  const receive = (...raw: readonly unknown[]): readonly unknown[] => {
    const { messages, seen } = open();
    for (const one of raw) messages.receive(one);
    return seen;
  };

  it("is limited in size, whatever its shape", () => {
    const refused: readonly unknown[] = [
      { type: "short", text: "x".repeat(2_000) },
      { type: "short", [`${"x".repeat(2_000)}`]: 1 },
      { type: "short", list: Array.from({ length: 500 }, () => 1) },
      { type: "short", bytes: new Uint8Array(2_000) },
      { type: "short", inner: Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], "deep") },
    ];
    for (const message of refused) assert.deepEqual(receive(message), ["tooLarge"]);
    const text = "x".repeat(500);
    assert.deepEqual(receive({ type: "short", text }), [{ type: "short", text }]);
  });

  it("is measured no further than the limit", () => {
    let looked = 0;
    const list = Array.from({ length: 10_000 }, () => ({
      get text() {
        looked++;
        return "x";
      },
    }));
    assert.deepEqual(receive({ type: "short", list }), ["tooLarge"]);
    assert.ok(looked < 200, `${looked} entries were looked at`);
  });

  it("is limited in rate, and accepted again after a while", () => {
    now = 0;
    const { messages, seen } = open();
    const send = (count: number): readonly unknown[] => {
      for (let sent = 0; sent < count; sent++) messages.receive({ type: "short" });
      return seen.splice(0).map((one) => one === "tooMany");
    };
    assert.deepEqual(send(5), [false, false, false, true, true]);
    now = 1_500;
    assert.deepEqual(send(2), [false, true]);
    now = 1_000_000;
    assert.deepEqual(send(4), [false, false, false, true]);
  });

  it("is refused if it has no rule or doesn't match it", () => {
    for (const message of [5, "short", { type: 5 }, { type: "__proto__" }, { type: "short", text: 5 }])
      assert.deepEqual(receive(message), ["unknown"]);
  });

  it("reports a handler that fails, at once or later", async () => {
    const { messages, seen, fail } = open();
    messages.receive({ type: "broken", isLate: false });
    messages.receive({ type: "broken", isLate: true });
    await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(seen, [fail, fail]);
  });

  it("doesn't compile without a handler", () => {
    // @ts-expect-error: `broken` is missing.
    const handlers: MessageHandlers<Message> = { short: () => undefined };
    assert.ok(handlers);
  });
});
