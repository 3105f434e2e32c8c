import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { maskedFields } from "../../../../src/core/servers/details/recordFields.ts";
import { escapePunctuation, serverDetails } from "../../../../src/core/servers/details/serverDetails.ts";
import type { ServerRow } from "../../../../src/core/servers/tree/rows.ts";
import { readServerList } from "../../../support/readServerList.ts";

const lists = new URL("../../../fixtures/server-lists/", import.meta.url);
const files = readdirSync(lists).filter((file) => file.endsWith(".json") && file !== "expected.json");
const rowsOf = (file: string): readonly ServerRow[] =>
  readServerList(readFileSync(new URL(file, lists), "utf8")).servers.map((server) => ({
    kind: "server",
    id: server.key,
    key: server.key,
    profileName: "Lab",
    server,
    mark: undefined,
    staleSince: undefined,
  }));

describe("The document of a server", () => {
  for (const file of files) {
    it(`of ${file} contains no secret of its record and no live link`, () => {
      for (const row of rowsOf(file)) {
        const text = serverDetails(row);
        for (const { value } of maskedFields(row.server.record)) {
          if (value.length >= 8) assert.ok(!text.includes(escapePunctuation(value)), value);
        }
        assert.doesNotMatch(text, /(?<!\\)[<>]|(?<!\\)\]\(|https?:/);
      }
    });
  }

  it("puts known facts first and the rest into sections", () => {
    const { servers } = readServerList(
      '[{"id":"a","status":"running","vcpus":8,"public_ip":"203.0.113.7","cost":"1.5","odd":"x"}]',
    );
    const [server] = servers;
    assert.ok(server !== undefined);
    const row = { kind: "server", id: "a", key: "a", profileName: "", server } as const;
    const titles = serverDetails({ ...row, mark: undefined, staleSince: undefined }).match(/^## .*/gm);
    assert.deepEqual(titles, ["## Properties", "## Hardware", "## Price", "## Other fields"]);
  });

  it("escapes every character with a meaning in Markdown", () => {
    assert.equal(escapePunctuation("![x](https://a.b)"), "\\!\\[x\\]\\(https\\:\\/\\/a\\.b\\)");
  });
});
