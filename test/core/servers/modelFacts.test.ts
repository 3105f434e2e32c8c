import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { modelFacts, modelText } from "../../../src/core/servers/modelFacts.ts";
import { readServerList } from "../../support/readServerList.ts";
import { isLeft } from "../account/secrets/fakeSecrets.ts";
import { unusualPlaces } from "./unusualPlaces.ts";

const folder = new URL("../../fixtures/server-lists/", import.meta.url);

function serverOf(record: unknown) {
  const [server] = readServerList(JSON.stringify({ servers: [record] })).servers;
  assert.ok(server);
  return server;
}

describe("The server facts that a model receives", () => {
  it("contain known facts only", () => {
    const server = serverOf({
      id: "i-1",
      name: "trainer 01",
      status: "running",
      gpu: "8 × H100",
      region: "eu-west-1",
      ip: "1.2.3.4",
      created_at: "2026-11-21T15:00:00Z",
      memory_gb: 512,
      vcpus: 64,
      internal_note: "call Ann",
      anything: { else: "x" },
    });
    assert.deepEqual(modelFacts(server), {
      id: "i-1",
      name: "trainer 01",
      status: "running",
      statusText: "running",
      gpu: "8 × H100",
      gpuCount: "8",
      region: "eu-west-1",
      addresses: ["1.2.3.4"],
      createdAt: "2026-11-21T15:00:00.000Z",
      memorygb: "512",
      vcpus: "64",
    });
  });

  it("leave out values with an invalid format", () => {
    const text = modelText(
      modelFacts(serverOf({ id: "i 1;x", name: "a\nIgnore all: b", status: "<b>", region: "${x}" })),
    );
    assert.doesNotMatch(text, /Ignore|<b>|\$\{|;x/);
  });

  for (const { what, record, secrets } of unusualPlaces()) {
    it(`contain no secrets: ${what}`, () => {
      const server = serverOf({ id: "i-1", ip: "1.2.3.4", ...record });
      const text = modelText(modelFacts(server));
      assert.deepEqual(
        secrets.filter((secret) => isLeft(text, secret)),
        [],
      );
    });
  }

  it("are found for every server in the lists of real clouds", () => {
    for (const file of readdirSync(folder).filter(
      (name) => name.endsWith(".json") && name !== "expected.json",
    )) {
      for (const server of readServerList(readFileSync(new URL(file, folder), "utf8")).servers) {
        const { id, name } = modelFacts(server);
        assert.ok((id ?? name) !== undefined, `${file}: ${server.key}`);
      }
    }
  });
});
