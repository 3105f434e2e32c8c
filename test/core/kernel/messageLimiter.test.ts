import assert from "node:assert/strict";
import { defaultLimits } from "../../../src/core/compose/attachments/limits.ts";
import { chatPageLimit } from "../../../src/core/panel/pages/chatPageLimits.ts";
import { MessageLimiter } from "../../../src/core/kernel/messageLimiter.ts";

describe("A message from a page", () => {
  let now = 0;
  const createLimits = (): MessageLimiter =>
    new MessageLimiter(
      (type) => (type === "short" ? { size: 1_000, burst: 3, perSecond: 1 } : undefined),
      () => now,
    );

  it("is limited in size, whatever its shape", () => {
    const refused: readonly unknown[] = [
      { type: "short", text: "x".repeat(2_000) },
      { type: "short", [`${"x".repeat(2_000)}`]: 1 },
      { type: "short", list: Array.from({ length: 500 }, () => 1) },
      { type: "short", bytes: new Uint8Array(2_000) },
      { type: "short", inner: Array.from({ length: 100 }).reduce<unknown>((inner) => [inner], "deep") },
    ];
    for (const message of refused) assert.equal(createLimits().admit(message), "tooLarge");
    assert.equal(createLimits().admit({ type: "short", text: "x".repeat(500) }), "admitted");
  });

  it("is measured no further than the limit", () => {
    let looked = 0;
    const list = Array.from({ length: 10_000 }, () => ({
      get text() {
        looked++;
        return "x";
      },
    }));
    assert.equal(createLimits().admit({ type: "short", list }), "tooLarge");
    assert.ok(looked < 200, `${looked} entries were looked at`);
  });

  it("is limited in rate, and accepted again after a while", () => {
    now = 0;
    const limits = createLimits();
    const message = { type: "short" };
    const admissions = Array.from({ length: 5 }, () => limits.admit(message));
    assert.deepEqual(admissions, ["admitted", "admitted", "admitted", "tooMany", "tooMany"]);
    now = 1_500;
    assert.equal(limits.admit(message), "admitted");
    assert.equal(limits.admit(message), "tooMany");
    now = 1_000_000;
    assert.deepEqual(
      Array.from({ length: 4 }, () => limits.admit(message)),
      ["admitted", "admitted", "admitted", "tooMany"],
    );
  });

  it("is left to the parser if its type is unknown", () => {
    for (const message of [undefined, 5, "send", { type: 5 }, { type: "other" }, { type: "__proto__" }])
      assert.equal(createLimits().admit(message), "admitted");
  });
});

describe("The limit of a message from the chat page", () => {
  const sizeOf = (type: string): number => chatPageLimit(type, defaultLimits)?.size ?? 0;

  it("leaves room for as many attachments as are allowed", () => {
    const { maxBytes, maxCount } = defaultLimits;
    for (const type of ["send", "edit", "compare", "draft"])
      assert.ok(sizeOf(type) > (maxBytes * maxCount * 4) / 3, type);
  });

  it("is small for a message that only names something", () => {
    for (const type of ["openLink", "loadImage", "action", "toolAnswer", "answerSend", "suggest"])
      assert.ok(sizeOf(type) <= 20_000, type);
  });

  it("is defined for known message types only", () => {
    for (const type of ["toString", "__proto__", "constructor", "snapshot", ""])
      assert.equal(chatPageLimit(type, defaultLimits), undefined, type);
  });
});
