import assert from "node:assert/strict";
import { DemoServers } from "../../../src/localGateway/gpu/demoServers.ts";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { startLocalGateway } from "../../../src/localGateway/service/startLocalGateway.ts";

describe("The local gateway's servers", () => {
  const start = Date.UTC(2026, 10, 27, 10, 0);
  let now = start;
  const create = (count = 12, seed = 1) => new DemoServers(count, seed, () => now);
  const only = (servers: DemoServers, name: string) => {
    const record = servers.list().find((each) => each.name === name);
    assert.ok(record);
    return record;
  };
  beforeEach(() => {
    now = start;
  });

  it("are the same for the same seed, and have their own permanent IDs and names", () => {
    assert.deepEqual(create(50, 3).list(), create(50, 3).list());
    assert.notDeepEqual(create(12, 3).list(), create(12, 4).list());
    const first = create(2_000).list();
    for (const key of ["id", "name"] as const)
      assert.equal(new Set(first.map((record) => record[key])).size, 2_000);
  });

  it("have prices and ages of hours and days: one is idle, one is starting, and one has failed with a reason", () => {
    const records = create().list();
    for (const { created_at, started_at, status } of records) {
      const age = start - Date.parse(created_at);
      assert.ok(age > 0 && age < 60 * 86_400_000, created_at);
      assert.equal(started_at !== null, status === "Running");
      if (started_at !== null) assert.ok(started_at >= created_at);
    }
    assert.equal(records.filter(({ gpu_utilization_percent: percent }) => percent === 0).length, 1);
    assert.equal(records.filter(({ status }) => status === "Provisioning").length, 1);
    assert.deepEqual(
      records.flatMap(({ status, status_reason }) => (status === "Error" ? [status_reason] : [])),
      ["CUDA driver error"],
    );
    assert.ok(records.every(({ price_per_hour }) => Number(price_per_hour) > 0));
  });

  it("have values that move, except for the idle one", () => {
    const servers = create();
    const before = servers.list();
    now += 15_000;
    const moved = servers
      .list()
      .filter(
        ({ gpu_utilization_percent: percent }, index) => percent !== before[index]?.gpu_utilization_percent,
      );
    assert.ok(moved.length > 2);
    assert.equal(only(servers, "trainer-08").gpu_utilization_percent, 0);
  });

  it("can be stopped, started and rebooted, which takes some seconds", () => {
    const servers = create();
    const { id } = only(servers, "trainer-08");
    const steps: readonly (readonly [string, string, number, string])[] = [
      ["stop", "Stopping", 7_000, "Stopped"],
      ["start", "Provisioning", 9_000, "Running"],
      ["reboot", "Restarting", 9_000, "Running"],
    ];
    for (const [action, during, ms, after] of steps) {
      servers.run(id, action);
      assert.equal(only(servers, "trainer-08").status, during);
      assert.throws(() => servers.run(id, action), action);
      now += ms;
      assert.equal(only(servers, "trainer-08").status, after);
    }
    assert.ok(Date.parse(only(servers, "trainer-08").started_at ?? "") > start);
    for (const [wrong, action] of [
      ["x", "stop"],
      [id, "start"],
      [id, "delete"],
      [id, "toString"],
    ] as const)
      assert.throws(() => servers.run(wrong, action));
  });

  it("can number ten thousand, and are stopped only with a credential and by POST", async () => {
    const gateway = await startLocalGateway({ port: 0, serverCount: 10_000 });
    const headers = { authorization: gateway.credentials.sessionToken };
    const url = `${gateway.gatewayUrl}/gpu/api/v1/servers`;
    const response = await fetch(url, { headers });
    const body: unknown = await response.json();
    assert.ok(isRecord(body) && isRecord(body["data"]) && Array.isArray(body["data"]["list"]));
    const list: readonly unknown[] = body["data"]["list"];
    assert.equal(list.length, 10_000);
    const stop = `${url}/${String(isRecord(list[0]) ? list[0]["id"] : "")}/stop`;
    const ask = async (options: RequestInit): Promise<number> => {
      const answer = await fetch(stop, options);
      await answer.text();
      return answer.status;
    };
    assert.deepEqual(
      [await ask({ method: "POST" }), await ask({ headers }), await ask({ method: "POST", headers })],
      [401, 405, 200],
    );
    assert.equal(await ask({ method: "POST", headers }), 409);
    await gateway.stop();
  });
});
