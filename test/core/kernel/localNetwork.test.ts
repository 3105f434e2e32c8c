import assert from "node:assert/strict";
import { routeAdvice } from "../../../src/core/kernel/localNetwork.ts";

describe("The advice when there is no route to a host", () => {
  for (const host of [
    "10.0.0.7",
    "172.16.0.1",
    "172.31.9.9",
    "192.168.1.20",
    "169.254.1.1",
    "gpu.local",
    "[fd12::1]",
    "fe80::1",
  ])
    it(`names the permission of macOS for the local network (${host})`, () => {
      assert.match(routeAdvice(host, "darwin"), /Local Network/);
      assert.doesNotMatch(routeAdvice(host, "linux"), /Local Network/);
    });

  for (const host of [
    "203.0.113.7",
    "172.32.0.1",
    "gpu.example.com",
    "gpu.local.example",
    "[2001:db8::1]",
    "fd.example",
  ])
    it(`doesn't name it for an address of the internet (${host})`, () =>
      assert.doesNotMatch(routeAdvice(host, "darwin"), /Local Network/));
});
