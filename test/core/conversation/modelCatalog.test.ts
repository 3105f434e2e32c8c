import assert from "node:assert/strict";
import type { Model } from "../../../src/core/conversation/completion.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import { ModelCatalog } from "../../../src/core/conversation/modelCatalog.ts";

const model = (id: string): Model => ({ id });

/** A catalog whose list comes from the function. Counts the requests that it stopped. */
function createCatalog(list: () => Promise<readonly Model[]>) {
  let stopped = 0;
  const catalog = new ModelCatalog(() => ({ models: list(), stop: () => void stopped++ }));
  return { catalog, stopped: () => stopped };
}

describe("ModelCatalog", () => {
  it("sends no second request while one is in flight", async () => {
    let calls = 0;
    const { catalog } = createCatalog(async () => {
      calls++;
      return [model("a/b")];
    });
    await Promise.all([catalog.ensure(), catalog.ensure(), catalog.refresh()]);
    assert.equal(calls, 1);
    assert.deepEqual(catalog.current, { state: "ready", models: [model("a/b")] });
  });

  it("keeps the last loaded list when a refresh fails", async () => {
    let isDown = false;
    const { catalog } = createCatalog(async () => {
      if (isDown) throw new ServiceError({ reason: "unreachable", message: "Down." });
      return [model("a/b")];
    });
    await catalog.refresh();
    isDown = true;
    await catalog.refresh();
    assert.deepEqual(catalog.current, {
      state: "failed",
      models: [model("a/b")],
      error: { reason: "unreachable", message: "Down." },
    });
  });

  it("stops the request for the previous profile and drops its response", async () => {
    const answers: ((models: readonly Model[]) => void)[] = [];
    const { catalog, stopped } = createCatalog(() => new Promise((resolve) => answers.push(resolve)));
    const first = catalog.refresh();
    catalog.reset();
    assert.equal(stopped(), 1);
    const second = catalog.refresh();
    answers[1]?.([model("new/one")]);
    await second;
    answers[0]?.([model("old/one")]);
    await first;
    assert.deepEqual(catalog.current.models, [model("new/one")]);
  });

  it("waits for the new profile's list when the old profile's request is abandoned", async () => {
    const answers: ((models: readonly Model[]) => void)[] = [];
    const { catalog } = createCatalog(() => new Promise((resolve) => answers.push(resolve)));
    const state = catalog.ensure();
    catalog.reset();
    answers[0]?.([model("old/one")]);
    while (answers.length < 2) await new Promise(setImmediate);
    answers[1]?.([model("new/one")]);
    assert.deepEqual(await state, { state: "ready", models: [model("new/one")] });
  });

  it("sends no more requests after it is disposed", async () => {
    const answers: ((models: readonly Model[]) => void)[] = [];
    const { catalog } = createCatalog(() => new Promise((resolve) => answers.push(resolve)));
    const state = catalog.ensure();
    catalog.dispose();
    answers[0]?.([]);
    assert.deepEqual(await state, { state: "idle", models: [] });
    assert.equal(answers.length, 1);
  });

  it("reports no details of an unknown error", async () => {
    const { catalog } = createCatalog(() => Promise.reject(new Error("secret detail")));
    await catalog.refresh();
    assert.doesNotMatch(JSON.stringify(catalog.current), /secret detail/);
    assert.equal(catalog.current.state, "failed");
  });
});
