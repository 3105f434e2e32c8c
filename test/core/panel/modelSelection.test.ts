import assert from "node:assert/strict";
import {
  hasNoModelList,
  modelPicker,
  readModelName,
  withTypedModels,
} from "../../../src/core/panel/modelSelection.ts";

const models = [{ id: "openlab/echo" }, { id: "openlab/sage" }];

describe("modelPicker", () => {
  it("says that nothing is set up instead of loading forever", () => {
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

describe("withTypedModels", () => {
  it("offers what the user typed behind what the service lists, each once", () => {
    const ready = { state: "ready", models } as const;
    const known = withTypedModels(ready, ["lab/typed", "openlab/sage"]);
    assert.deepEqual(
      known.models.map(({ id }) => id),
      ["openlab/echo", "openlab/sage", "lab/typed"],
    );
    assert.equal(withTypedModels(ready, []), ready);
  });

  it("makes a typed model the one to begin with where the service lists none", () => {
    const error = { reason: "notFound", message: "There is no such page.", statusCode: 404 } as const;
    const known = withTypedModels({ state: "failed", models: [], error }, ["lab/new", "lab/old"]);
    assert.equal(modelPicker(known, undefined, undefined, true).selected, "lab/new");
    assert.equal(modelPicker(known, undefined, "lab/old", true).selected, "lab/old");
  });

  it("distinguishes a service without a list from one that refuses it", () => {
    assert.deepEqual(
      [404, 405, 501, 401, 500, undefined].map((statusCode) =>
        hasNoModelList(statusCode === undefined ? {} : { statusCode }),
      ),
      [true, true, true, false, false, false],
    );
  });
});

describe("readModelName", () => {
  it("takes the name as it is but for the white space around it, and refuses what can't be one", () => {
    assert.equal(readModelName("  lab/model:free "), "lab/model:free");
    for (const text of ["", "  ", "a\nb", "x".repeat(501), "a\u202eb"])
      assert.equal(readModelName(text), undefined);
  });
});
