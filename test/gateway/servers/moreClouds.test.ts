import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { serverRecordText } from "../../../src/core/servers/details/serverDetails.ts";
import { readServerList } from "../../support/readServerList.ts";

/** A list as documented by a cloud, a scheduler or a hypervisor, with what a person reads in it. */
interface ListCase {
  readonly name: string;
  readonly document: unknown;
  /**
   * ID, name, status as written, its meaning, region, GPU, count, address; null for anything that it doesn't contain.
   */
  readonly rows: readonly (readonly (string | null)[])[];
}

const cases: readonly ListCase[] = JSON.parse(
  readFileSync(new URL("../../fixtures/more-server-lists.json", import.meta.url), "utf8"),
);

describe("Server lists of sixty more clouds and tools", () => {
  for (const { name, document, rows } of cases) {
    it(`are read as a person would: ${name}`, () => {
      const { servers } = readServerList(JSON.stringify(document));
      const read = servers.map((server) => [
        server.id?.value ?? null,
        server.name?.value ?? null,
        server.statusText?.value ?? null,
        server.status,
        server.region?.value ?? null,
        server.gpuModel?.value ?? null,
        server.gpuCount?.value ?? null,
        server.address?.value ?? null,
      ]);
      assert.deepEqual(read, rows);
    });

    it(`are shown without their secrets: ${name}`, () => {
      const shown = readServerList(JSON.stringify(document)).servers.map((server) =>
        serverRecordText(server),
      );
      assert.doesNotMatch(shown.join(), /planted|hunter2|c0ffee0123|OBwYsTT|MyP@ss/);
    });
  }
});
