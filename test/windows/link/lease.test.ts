import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Lease } from "../../../src/windows/link/lease.ts";

const holder = fileURLToPath(new URL("../../support/leaseHolder.ts", import.meta.url));

describe("Lease", () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "lease-"));
    path = join(folder, "servers", "a.lock");
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("is held by one window until it is released", () => {
    const [first, second] = [new Lease(path), new Lease(path)];
    assert.deepEqual([first.acquire(), first.acquire(), second.acquire()], [true, true, false]);
    first.release();
    assert.deepEqual([second.acquire(), first.acquire()], [true, false]);
    second.release();
    assert.equal(statSync(path).size, 0);
  });

  it("is free again after the process that holds it is killed", async () => {
    const child = fork(holder, [path], { execArgv: ["--disable-warning=ExperimentalWarning"] });
    assert.deepEqual(await once(child, "message"), [true, undefined]);
    const lease = new Lease(path);
    assert.equal(lease.acquire(), false);
    child.kill("SIGKILL");
    await once(child, "exit");
    assert.equal(lease.acquire(), true);
    lease.release();
  });

  it("is acquired by everyone if no file can be locked", () => {
    writeFileSync(join(folder, "file"), "");
    const lease = new Lease(join(folder, "file", "a.lock"));
    assert.deepEqual([lease.acquire(), lease.isHeld], [true, false]);
  });
});
