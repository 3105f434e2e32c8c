import assert from "node:assert/strict";
import {
  describeArrangement,
  serverGroupingLabel,
  sortingLabel,
} from "../../../../src/core/servers/arrange/groupServers.ts";

describe("The description of an arrangement", () => {
  const plain = { filter: "", groupBy: "none", sortBy: "gateway", isDescending: false } as const;

  it("mentions only that all servers are shown if nothing is filtered, grouped or sorted", () => {
    assert.equal(describeArrangement(plain), "all servers");
  });

  it("contains filter, groups and order in one line", () => {
    assert.equal(
      describeArrangement({ filter: "status:running", groupBy: "gpu", sortBy: "name", isDescending: true }),
      "status:running · grouped by: GPU · sorted by: Name, reversed",
    );
  });

  it("mentions that the gateway's order is reversed", () => {
    assert.equal(
      describeArrangement({ ...plain, isDescending: true }),
      "all servers · sorted by: Gateway order (default), reversed",
    );
  });

  it("uses the same word for a field in groups and in order", () => {
    for (const field of ["status", "region", "gpu"] as const) {
      assert.equal(serverGroupingLabel(field), sortingLabel(field, false));
    }
  });
});
