import assert from "node:assert/strict";
import {
  hasNoModelList,
  modelPicker,
  readModelName,
  withTypedModels,
} from "../../../src/core/panel/modelSelection.ts";

const models = [{ id: "openlab/echo" }, { id: "openlab/sage" }];

describe("modelPicker", () => {
  it("explains that nothing is set up instead of loading forever", () => {
    const idle = { state: "idle", models: [] } as const;
    assert.deepEqual(modelPicker(idle, undefined, undefined, false), { state: "notSetUp", models: [] });
    assert.deepEqual(modelPicker(idle, undefined, undefined, true), { state: "loading", models: [] });
  });

  it("selects the conversation's own model, or else the last used one if it is still offered, or else the first", () => {
    const ready = { state: "ready", models } as const;
    assert.equal(modelPicker(ready, "other/model", "openlab/sage", true).selected, "other/model");
    assert.equal(modelPicker(ready, undefined, "openlab/sage", true).selected, "openlab/sage");
    assert.equal(modelPicker(ready, undefined, "gone/model", true).selected, "openlab/echo");
  });
});

describe("withTypedModels", () => {
  it("adds typed models after the listed ones, each once", () => {
    const ready = { state: "ready", models } as const;
    const known = withTypedModels(ready, ["lab/typed", "openlab/sage"]);
    assert.deepEqual(
      known.models.map(({ id }) => id),
      ["openlab/echo", "openlab/sage", "lab/typed"],
    );
    assert.equal(withTypedModels(ready, []), ready);
  });

  it("preselects a typed model if the service lists none", () => {
    const error = { reason: "notFound", message: "There is no such page.", statusCode: 404 } as const;
    const known = withTypedModels({ state: "failed", models: [], error }, ["lab/new", "lab/old"]);
    assert.equal(modelPicker(known, undefined, undefined, true).selected, "lab/new");
    assert.equal(modelPicker(known, undefined, "lab/old", true).selected, "lab/old");
  });

  it("distinguishes a service without a model list from one that denies access to it", () => {
    assert.deepEqual(
      [404, 405, 501, 401, 500, undefined].map((statusCode) =>
        hasNoModelList(statusCode === undefined ? {} : { statusCode }),
      ),
      [true, true, true, false, false, false],
    );
  });
});

describe("readModelName", () => {
  it("trims whitespace around the name and rejects text that can't be a name", () => {
    assert.equal(readModelName("  lab/model:free "), "lab/model:free");
    for (const text of ["", "  ", "a\nb", "x".repeat(501), "a\u202eb"])
      assert.equal(readModelName(text), undefined);
  });
});
