import assert from "node:assert/strict";
import {
  describeArrangement,
  groupingLabel,
  sortingLabel,
} from "../../../../src/core/servers/arrange/arrangement.ts";

describe("the words of an arrangement", () => {
  const plain = { filter: "", groupBy: "none", sortBy: "gateway", isDescending: false } as const;

  it("say that nothing is hidden, and no more, where the rows are as the gateway sends them", () => {
    assert.equal(describeArrangement(plain), "all servers");
  });

  it("say filter, groups and order in one line", () => {
    assert.equal(
      describeArrangement({ filter: "status:running", groupBy: "gpu", sortBy: "name", isDescending: true }),
      "status:running · grouped by: GPU · sorted by: Name, reversed",
    );
  });

  it("say that the gateway's own order is turned round", () => {
    assert.equal(
      describeArrangement({ ...plain, isDescending: true }),
      "all servers · sorted by: Gateway order (default), reversed",
    );
  });

  it("use the same word for a field in groups and in order", () => {
    for (const field of ["status", "region", "gpu"] as const) {
      assert.equal(groupingLabel(field), sortingLabel(field, false));
    }
  });
});
