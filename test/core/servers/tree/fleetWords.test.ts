import assert from "node:assert/strict";
import { fleetDescription } from "../../../../src/core/servers/tree/fleetWords.ts";
import { createSection, createServers } from "../../../support/fleetSections.ts";

describe("the words beside the view's title", () => {
  const three = createServers(3);

  it("are none where no server is listed", () => {
    assert.equal(fleetDescription([], 0, ""), "");
    assert.equal(fleetDescription([createSection([])], 0, "status:running"), "");
  });

  it("count the servers, and those that a filter leaves", () => {
    assert.equal(fleetDescription([createSection(three)], 3, ""), "3 servers");
    assert.equal(fleetDescription([createSection(three)], 1, "gpu:a100"), "1 of 3 servers · gpu:a100");
  });

  it("say where the gateway has more than it lists, with several profiles too", () => {
    const part = createSection(three, { total: 40 });
    assert.equal(fleetDescription([part], 3, ""), "3 of 40 servers");
    assert.equal(fleetDescription([createSection(three), part], 6, ""), "6 of 43 servers");
    assert.equal(fleetDescription([part, createSection(three)], 6, ""), "6 of 43 servers");
  });

  it("say that there are more where nobody knows how many", () => {
    const part = createSection(three, { hasMore: true });
    assert.equal(fleetDescription([part], 3, ""), "3 of more than 3 servers");
    assert.equal(fleetDescription([createSection(three), part], 2, "x"), "2 of more than 6 servers · x");
  });

  it("mark production and the age of the rows of a single profile, not of several", () => {
    const old = createSection(
      three,
      { isRestored: true, listedAt: 1_700_000_000_000 },
      { isProduction: true },
    );
    assert.match(fleetDescription([old], 3, ""), /^Production · 3 servers · as of \d/);
    assert.equal(fleetDescription([old, old], 6, ""), "6 servers");
  });
});
