import assert from "node:assert/strict";
import { ModelAccess } from "../../../src/core/nativeChat/nativeModel.ts";
import type { AccessDecision } from "../../../src/core/nativeChat/nativeModel.ts";

describe("The access of other extensions to the models", () => {
  let stored: unknown;
  let asked: string[];
  let now: number;
  let decision: AccessDecision | undefined;
  const access = () =>
    new ModelAccess(
      { load: () => stored, save: async (decisions) => void (stored = decisions) },
      async (extension) => {
        asked.push(extension);
        return decision;
      },
      () => now,
    );
  beforeEach(() => {
    stored = undefined;
    asked = [];
    now = 0;
    decision = { access: "allowed" };
  });

  it("is asked about once, even for twenty requests at the same time", async () => {
    const shared = access();
    const results = await Promise.all(Array.from({ length: 20 }, () => shared.isAllowed("x.y")));
    assert.ok(results.every((isAllowed) => isAllowed));
    assert.equal(await access().isAllowed("x.y"), true);
    assert.deepEqual(asked, ["x.y"]);
  });

  it("ends with the day if the user allowed it for today", async () => {
    decision = { access: "allowed", until: 10 };
    assert.equal(await access().isAllowed("x.y"), true);
    now = 10;
    assert.equal(await access().isAllowed("x.y"), true);
    assert.equal(asked.length, 2);
  });

  it("stays denied until the user forgets the decision", async () => {
    decision = { access: "denied" };
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(asked.length, 1);
    await access().forget("x.y");
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(asked.length, 2);
  });

  it("isn't decided by a dismissed question, or by stored nonsense", async () => {
    decision = undefined;
    stored = { "x.y": { access: "yes" }, "a.b": 1 };
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(await access().isAllowed("x.y"), false);
    assert.equal(asked.length, 2);
  });
});
