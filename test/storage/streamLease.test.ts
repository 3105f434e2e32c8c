import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createLease, isLeaseAlive, leaseRenewalMs } from "../../src/storage/streamLease.ts";

describe("StreamLease", () => {
  const lease = createLease(1_000_000);

  it("is alive while its process runs and renews it", () => {
    assert.equal(isLeaseAlive(lease, 1_000_000 + leaseRenewalMs), true);
  });

  it("is dead when it was not renewed, whatever runs under that process id now", () => {
    assert.equal(isLeaseAlive(lease, 1_000_000 + 100 * leaseRenewalMs), false);
  });

  it("is dead as soon as its process is gone", () => {
    const { pid } = spawnSync(process.execPath, ["--version"]);
    assert.equal(isLeaseAlive({ ...lease, processId: pid }, 1_000_000), false);
  });

  it("is alive by its age alone when another machine writes", () => {
    const elsewhere = { ...lease, host: "another-machine", processId: 2 ** 22 + 1 };
    assert.equal(isLeaseAlive(elsewhere, 1_000_000), true);
    assert.equal(isLeaseAlive(elsewhere, 1_000_000 + 100 * leaseRenewalMs), false);
  });

  it("is dead when its columns were lost", () => {
    assert.equal(isLeaseAlive({ host: "", processId: 0, aliveAt: 0 }, 1_000_000), false);
  });
});
