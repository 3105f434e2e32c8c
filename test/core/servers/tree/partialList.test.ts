import assert from "node:assert/strict";
import { TableModel } from "../../../../src/core/servers/table/tableModel.ts";
import { plainArrangement } from "../../../../src/core/servers/arrange/groupServers.ts";
import { ServerTreeRows } from "../../../../src/core/servers/tree/serverTreeRows.ts";
import { profileDescription } from "../../../../src/core/servers/tree/rowLabels.ts";
import { createSection, createServers } from "../../../support/serverSections.ts";

const now = 1_800_000_000_000;

describe("The age of rows that could not be refreshed", () => {
  it("advances while nothing else changes, and updates only its own row", () => {
    let time = now;
    const error = { reason: "unreachable", message: "Not reached." } as const;
    const section = createSection(createServers(3), { error, listedAt: now - 10_000 });
    const rows = new ServerTreeRows(() => time);
    rows.update([section], plainArrangement);
    const [notice] = rows.roots;
    assert.ok(notice?.kind === "notice");
    assert.match(notice.text, /10 seconds old/);
    time += 5_000;
    assert.deepEqual(rows.update([section], plainArrangement), [notice]);
    assert.match(notice.text, /15 seconds old/);
    time += 100;
    assert.equal(rows.update([section], plainArrangement), "none");
  });
});

describe("A partial server list", () => {
  for (const [extent, count, sentence] of [
    [{ hasMore: true }, "3+ servers", /listed only 3 servers.*serverListQuery/],
    [{ hasMore: true, total: 40 }, "3 of 40 servers", /listed only 3 of 40 servers.*serverListQuery/],
  ] as const) {
    it(`is reported in the tree and in the table: ${count}`, () => {
      const section = createSection(createServers(3), extent);
      const rows = new ServerTreeRows(() => now);
      rows.update([section], plainArrangement);
      const [notice] = rows.roots;
      assert.ok(notice?.kind === "notice");
      assert.match(notice.text, sentence);
      assert.equal(rows.servers.length, 3);
      const root = { kind: "profile", id: "p", section, shown: 3, children: [] } as const;
      assert.ok(profileDescription(root).includes(count));
      const around = new TableModel()
        .begin([section], now)
        .find((message) => message.type === "surroundings");
      assert.match(around?.notices[0]?.message ?? "", sentence);
      assert.deepEqual(around?.notices[0]?.actions, ["openProfiles"]);
      assert.equal(around?.all.count, extent.hasMore && "total" in extent ? 40 : 3);
    });
  }
});
