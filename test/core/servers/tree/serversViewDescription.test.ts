import assert from "node:assert/strict";
import { serversViewDescription } from "../../../../src/core/servers/tree/serverTreeRows.ts";
import { createSection, createServers } from "../../../support/serverSections.ts";

describe("The description in the view's title", () => {
  const three = createServers(3);

  it("is empty if no server is listed", () => {
    assert.equal(serversViewDescription([], 0, ""), "");
    assert.equal(serversViewDescription([createSection([])], 0, "status:running"), "");
  });

  it("counts the servers, and those that match the filter", () => {
    assert.equal(serversViewDescription([createSection(three)], 3, ""), "3 servers");
    assert.equal(serversViewDescription([createSection(three)], 1, "gpu:a100"), "1 of 3 servers · gpu:a100");
    const priced = three.map((server) => ({
      ...server,
      status: "running" as const,
      price: { value: "2 USD per hour", source: "price" },
    }));
    assert.equal(serversViewDescription([createSection(priced)], 3, ""), "3 servers · $6.00/h");
  });

  it("shows that the gateway has more servers than it lists, even with several profiles", () => {
    const part = createSection(three, { total: 40 });
    assert.equal(serversViewDescription([part], 3, ""), "3 of 40 servers");
    assert.equal(serversViewDescription([createSection(three), part], 6, ""), "6 of 43 servers");
    assert.equal(serversViewDescription([part, createSection(three)], 6, ""), "6 of 43 servers");
  });

  it("shows that there are more if the number is unknown", () => {
    const part = createSection(three, { hasMore: true });
    assert.equal(serversViewDescription([part], 3, ""), "3+ servers");
    assert.equal(serversViewDescription([createSection(three), part], 2, "x"), "2 of 6+ servers · x");
  });

  it("marks production and the age of the rows for a single profile, but not for several", () => {
    const old = createSection(
      three,
      { isRestored: true, listedAt: 1_700_000_000_000 },
      { isProduction: true },
    );
    assert.match(serversViewDescription([old], 3, ""), /^Production · 3 servers · as of \d/);
    assert.equal(serversViewDescription([old, old], 6, ""), "6 servers");
  });
});
