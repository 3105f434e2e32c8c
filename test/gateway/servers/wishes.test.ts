import assert from "node:assert/strict";
import { readServerList } from "../../support/readServerList.ts";

describe("The state that a server is meant to have", () => {
  for (const [record, status, text] of [
    [{ desiredStatus: "RUNNING", runtime: null }, "starting", "desiredStatus: RUNNING"],
    [{ desiredStatus: "RUNNING", runtime: { uptimeInSeconds: 812 } }, "running", "RUNNING"],
    [{ desiredStatus: "RUNNING", publicIp: "", portMappings: null }, "starting", "desiredStatus: RUNNING"],
    [{ desiredStatus: "RUNNING", publicIp: "203.0.113.7" }, "running", "RUNNING"],
    [{ desiredStatus: "EXITED", runtime: null }, "stopped", "EXITED"],
    [{ desiredStatus: "EXITED", runtime: { uptimeInSeconds: 812 } }, "stopping", "desiredStatus: EXITED"],
    [{ actual_status: null, intended_status: "running", cur_state: "running" }, "starting", undefined],
    [{ actual_status: "loading", intended_status: "running", cur_state: "running" }, "starting", "loading"],
    [{ actual_status: "running", intended_status: "running" }, "running", "running"],
    [{ actual_status: "exited", intended_status: "running" }, "stopped", "exited"],
    [{ actual_status: "running", intended_status: "stopped" }, "stopping", "intended_status: stopped"],
    [{ lastStatus: "PENDING", desiredStatus: "RUNNING" }, "starting", "PENDING"],
    [{ lastStatus: "RUNNING", desiredStatus: "STOPPED" }, "stopping", "desiredStatus: STOPPED"],
    [{ status: "running", lastStatus: "stopped" }, "running", "running"],
    [{ target_state: "running", ready: false }, "starting", "target_state: running"],
    [{ desired_state: "running", current_state: "pulling" }, "starting", "pulling"],
    [{ desired_state: "running", state: "error" }, "error", "error"],
    [{ spec: { desiredState: "Running" }, status: { phase: "Failed" } }, "error", "Failed"],
    [{ desiredStatus: "RUNNING", started_at: null }, "starting", "desiredStatus: RUNNING"],
    [{ desiredStatus: "RUNNING" }, "running", "RUNNING"],
  ] as const) {
    it(`doesn't hide what the record says otherwise: ${JSON.stringify(record)}`, () => {
      const [server] = readServerList(JSON.stringify({ servers: [{ id: "a", ...record }] })).servers;
      assert.deepEqual([server?.status, server?.statusText?.value], [status, text]);
    });
  }
});

describe("The IPv6 address of a server", () => {
  for (const [record, address, others] of [
    [
      { public_net: { ipv4: null, ipv6: { ip: "2a01:4f8:c0c:77aa::/64" } } },
      "2a01:4f8:c0c:77aa::1",
      undefined,
    ],
    [
      { public_net: { ipv6: { ip: "2a01:4f8:c0c:77aa::/64" } }, private_net: [{ ip: "10.0.0.3" }] },
      "2a01:4f8:c0c:77aa::1",
      ["10.0.0.3"],
    ],
    [
      { main_ip: "0.0.0.0", v6_network: "2001:db8:5:6bb::", v6_main_ip: "2001:db8:5:6bb:5400:2ff:fee5:1" },
      "2001:db8:5:6bb:5400:2ff:fee5:1",
      undefined,
    ],
    [{ ipv4: [], ipv6: "2600:3c02::f03c:95ff:fe00:1/128" }, "2600:3c02::f03c:95ff:fe00:1", undefined],
    [{ ipv4: "203.0.113.7", ipv6: "2a01:4f8::/64" }, "203.0.113.7", ["2a01:4f8::1"]],
    [{ ip: "::/0" }, undefined, undefined],
    [{ ip: "2001:db8::/32" }, undefined, undefined],
    [{ ip: "fe80::/64" }, undefined, undefined],
  ] as const) {
    it(`is the address if there is no other one: ${JSON.stringify(record)}`, () => {
      const [server] = readServerList(
        JSON.stringify({ servers: [{ id: "a", status: "on", ...record }] }),
      ).servers;
      assert.deepEqual([server?.address?.value, server?.otherAddresses], [address, others]);
    });
  }
});
