import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { maskedFields } from "../../../../src/core/servers/details/recordFields.ts";
import { recordSchema } from "../../../../src/core/servers/details/recordSchema.ts";
import { escapePunctuation, serverDetails } from "../../../../src/core/servers/details/serverDetails.ts";
import type { ServerRow } from "../../../../src/core/servers/tree/rows.ts";
import { readServerList } from "../../../../src/gateway/servers/readServerList.ts";

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

describe("The schema of server records", () => {
  it("contains names and types but no values", () => {
    const schema = recordSchema([
      { id: "srv-1", gpu: { model: "H100", count: 8 }, tags: ["a"], note: null },
      { id: 7, gpu: null, tags: [] },
    ]);
    assert.deepEqual(schema, {
      id: "number | string",
      gpu: { either: ["null", { model: "string", count: "number" }] },
      tags: ["string"],
      note: "null",
    });
  });

  it("treats property names that are IDs as values", () => {
    const id = "0b9f7c1e-1111-4222-8333-444455556666";
    assert.deepEqual(recordSchema([{ disks: { [id]: { size: 1 } } }]), {
      disks: { "*": { size: "number" } },
    });
  });

  for (const file of files) {
    it(`of ${file} contains no value from the file`, () => {
      const records = rowsOf(file).map(({ server }) => server.record);
      const text = JSON.stringify(recordSchema(records));
      for (const { server } of rowsOf(file)) {
        if (server.address !== undefined) assert.ok(!text.includes(server.address.value));
        for (const { value } of maskedFields(server.record)) {
          if (value.length >= 8) assert.ok(!text.includes(value), value);
        }
      }
    });
  }
});

describe("The masked fields of a record", () => {
  it("are listed with their unmasked values", () => {
    const record = { name: "a", api_token: "planted", nested: [{ password: "pw" }], url: "https://u:p@h/" };
    assert.deepEqual(maskedFields(record), [
      { pointer: "/api_token", value: "planted" },
      { pointer: "/nested/0/password", value: "pw" },
      { pointer: "/url", value: "https://u:p@h/" },
    ]);
  });
});
