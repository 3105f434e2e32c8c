import assert from "node:assert/strict";
import { modelPicker } from "../../../src/core/panel/modelSelection.ts";

const models = [{ id: "openlab/echo" }, { id: "openlab/sage" }];

describe("modelPicker", () => {
  it("says that nothing is set up instead of loading for ever", () => {
    const idle = { state: "idle", models: [] } as const;
    assert.deepEqual(modelPicker(idle, undefined, undefined, false), { state: "notSetUp", models: [] });
    assert.deepEqual(modelPicker(idle, undefined, undefined, true), { state: "loading", models: [] });
  });

  it("takes the conversation's own model, else the last one that is still offered, else the first", () => {
    const ready = { state: "ready", models } as const;
    assert.equal(modelPicker(ready, "other/model", "openlab/sage", true).selected, "other/model");
    assert.equal(modelPicker(ready, undefined, "openlab/sage", true).selected, "openlab/sage");
    assert.equal(modelPicker(ready, undefined, "gone/model", true).selected, "openlab/echo");
  });
});
