import assert from "node:assert/strict";
import { recordsAt, serverRecords, statusAt } from "../../../src/localGateway/gpu/service.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";

describe("The local gateway's servers", () => {
  it("are the same for the same seed, at any time", () => {
    for (const seconds of [0, 100, 100_000]) {
      assert.deepEqual(recordsAt(serverRecords(50, 3), seconds), recordsAt(serverRecords(50, 3), seconds));
    }
    assert.notDeepEqual(serverRecords(12, 3), serverRecords(12, 4));
  });
  it("have their own permanent IDs", () => {
    const first = serverRecords(2_000, 1);
    assert.equal(new Set(first.map(({ id }) => id)).size, 2_000);
    assert.deepEqual(recordsAt(first, 1_234).map(({ id }) => id), first.map(({ id }) => id)); // prettier-ignore
  });
  it("start in their generated state", () =>
    assert.deepEqual(recordsAt(serverRecords(50, 1), 0), serverRecords(50, 1)));
  it("change their status over time", () => {
    const records = serverRecords(50, 1);
    const changed = recordsAt(records, 125).filter(({ status }, index) => status !== records[index]?.status);
    assert.ok(changed.length > 0 && changed.length < 40);
  });
  it("go through the statuses in order", () => {
    const states = [0, 119, 121, 131, 166, 180].map((seconds) => statusAt("Running", 1, seconds));
    assert.deepEqual(states, ["Running", "Running", "Stopping", "Stopped", "Provisioning", "Running"]);
  });
  it("never stay in a transitional status", () => {
    for (const first of ["Provisioning", "Stopping"]) assert.notEqual(statusAt(first, 0, 16), first);
  });
  it("keep their status if nothing happens to them", () =>
    assert.equal(statusAt("Error", 1, 1_000), "Error"));
  it("have a public address while they run", () => {
    for (const { status, public_ip } of recordsAt(serverRecords(100, 1), 140)) {
      assert.equal(public_ip !== null, status === "Running" || status === "Stopping");
    }
  });
  it("can number ten thousand", async () => {
    const gateway = await startLocalGateway({ port: 0, serverCount: 10_000 });
    const headers = { authorization: gateway.credentials.sessionToken };
    const response = await fetch(`${gateway.gatewayUrl}/gpu/api/v1/servers`, { headers });
    const body: unknown = await response.json();
    await gateway.stop();
    assert.ok(isRecord(body) && isRecord(body["data"]) && Array.isArray(body["data"]["list"]));
    assert.equal(body["data"]["list"].length, 10_000);
  });
});
