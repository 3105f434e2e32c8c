import assert from "node:assert/strict";
import { serversViewDescription } from "../../../../src/core/servers/tree/treeMessages.ts";
import { createSection, createServers } from "../../../support/serverSections.ts";

describe("the words beside the view's title", () => {
  const three = createServers(3);

  it("are none if no server is listed", () => {
    assert.equal(serversViewDescription([], 0, ""), "");
    assert.equal(serversViewDescription([createSection([])], 0, "status:running"), "");
  });

  it("count the servers, and those that a filter leaves", () => {
    assert.equal(serversViewDescription([createSection(three)], 3, ""), "3 servers");
    assert.equal(serversViewDescription([createSection(three)], 1, "gpu:a100"), "1 of 3 servers · gpu:a100");
  });

  it("say where the gateway has more than it lists, with several profiles too", () => {
    const part = createSection(three, { total: 40 });
    assert.equal(serversViewDescription([part], 3, ""), "3 of 40 servers");
    assert.equal(serversViewDescription([createSection(three), part], 6, ""), "6 of 43 servers");
    assert.equal(serversViewDescription([part, createSection(three)], 6, ""), "6 of 43 servers");
  });

  it("say that there are more if no one knows how many", () => {
    const part = createSection(three, { hasMore: true });
    assert.equal(serversViewDescription([part], 3, ""), "3 of more than 3 servers");
    assert.equal(
      serversViewDescription([createSection(three), part], 2, "x"),
      "2 of more than 6 servers · x",
    );
  });

  it("mark production and the age of the rows of a single profile, not of several", () => {
    const old = createSection(
      three,
      { isRestored: true, listedAt: 1_700_000_000_000 },
      { isProduction: true },
    );
    assert.match(serversViewDescription([old], 3, ""), /^Production · 3 servers · as of \d/);
    assert.equal(serversViewDescription([old, old], 6, ""), "6 servers");
  });
});
