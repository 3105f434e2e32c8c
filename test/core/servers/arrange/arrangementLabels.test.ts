import assert from "node:assert/strict";
import {
  parseArrangement,
  serverGroupingLabel,
  sortingLabel,
} from "../../../../src/core/servers/arrange/groupServers.ts";

describe("The labels of arrangements", () => {
  it("mention that an order is reversed", () => {
    assert.equal(sortingLabel("name", true), "Name, reversed");
  });

  it("tell the groups of a new window apart from none", () => {
    const labels = [parseArrangement(undefined).groupBy, "none"].map(serverGroupingLabel);
    assert.deepEqual(labels, ["Only stopped servers, in long lists", "No groups"]);
    assert.equal(parseArrangement({ groupBy: "none" }).groupBy, "none");
  });

  it("use the same word for a field in groups and in order", () => {
    for (const field of ["status", "region", "gpu"] as const) {
      assert.equal(serverGroupingLabel(field), sortingLabel(field, false));
    }
  });
});
