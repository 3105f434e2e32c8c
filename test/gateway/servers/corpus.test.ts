import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isRecord } from "../../../src/core/kernel/json.ts";
import type { Server } from "../../../src/core/servers/server.ts";
import { otherFields } from "../../../src/core/servers/details/recordFields.ts";
import { serverRecordText } from "../../../src/core/servers/details/serverDetails.ts";
import { factNames } from "../../../src/core/servers/serverFacts.ts";
import { factText } from "../../../src/core/servers/serverLabels.ts";
import { pathOfList, readServerList } from "../../support/readServerList.ts";

const folder = new URL("../../fixtures/server-lists/", import.meta.url);
const readText = (name: string): string => readFileSync(new URL(name, folder), "utf8");
const expected: unknown = JSON.parse(readText("expected.json"));
assert.ok(isRecord(expected) && Array.isArray(expected["documents"]));
const documents = expected["documents"].filter(isRecord);

/** The raw values that are accepted as correct for a field; null means "left out". */
function accepted(record: Readonly<Record<string, unknown>>, field: string): readonly unknown[] {
  const accept = isRecord(record["accept"]) ? record["accept"][field] : undefined;
  return [record[field], ...(Array.isArray(accept) ? accept : [])];
}

function found(server: Server, field: string): string | null {
  switch (field) {
    case "status":
      return server.statusText?.value ?? null;
    case "statusClass":
      return server.status;
    case "publicIp":
      return server.isPrivateAddress === true ? null : (server.address?.value ?? null);
    case "id":
      return server.id?.value ?? null;
    case "name":
      return server.name?.value ?? null;
    case "region":
      return server.region?.value ?? null;
    case "gpuModel":
      return server.gpuModel?.value ?? null;
    default:
      return server.gpuCount?.value ?? null;
  }
}

describe("The corpus of server lists", () => {
  it("contains all 15 documents", () => {
    assert.equal(documents.length, 15);
  });

  for (const document of documents) {
    const file = String(document["file"]);
    const records = Array.isArray(document["records"]) ? document["records"].filter(isRecord) : [];

    it(`contains a readable list in ${file}`, () => {
      const list = readServerList(readText(file));
      assert.equal(pathOfList(readText(file)), document["recordsPath"]);
      assert.equal(list.servers.length, records.length);
    });

    for (const field of [
      "id",
      "name",
      "status",
      "statusClass",
      "region",
      "gpuModel",
      "gpuCount",
      "publicIp",
    ]) {
      it(`contains ${field} in every record of ${file}`, () => {
        const { servers } = readServerList(readText(file));
        for (const [index, record] of records.entries()) {
          const server = servers[index];
          assert.ok(server);
          const right = accepted(record, field).map((value) => (value === null ? null : String(value)));
          assert.ok(
            right.includes(found(server, field)),
            `${found(server, field)} is none of ${right.join()}`,
          );
        }
      });
    }

    it(`is shown without secrets from ${file}`, () => {
      const secrets = Array.isArray(document["mustNotShow"]) ? document["mustNotShow"].map(String) : [];
      for (const server of readServerList(readText(file)).servers) {
        const shown = [
          ...factNames.map((name) => factText(server[name])),
          ...otherFields(server).map(({ value }) => value),
          serverRecordText(server),
        ].join("\n");
        for (const secret of secrets) assert.ok(!shown.includes(secret), secret);
      }
    });
  }
});
