import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { claimNoncesIn, Nonces, takeNonce } from "../../../src/gateway/auth/nonces.ts";

describe("Nonces", () => {
  it("are unique within a second and increase, separately for each access key", () => {
    const nonces = new Nonces();
    assert.deepEqual(
      [1, 2, 3].map(() => nonces.take("a", 100)),
      [100, 101, 102],
    );
    assert.equal(nonces.take("b", 100), 100);
    assert.equal(nonces.take("a", 101), 103);
    assert.equal(nonces.take("a", 200), 200);
  });

  it("stay within a small window, and further requests wait for the clock", async () => {
    const nonces = new Nonces();
    const taken = Array.from({ length: 12 }, () => nonces.take("a", 100));
    assert.deepEqual(taken.slice(-2), [110, undefined]);
    let now = 100;
    const next = takeNonce(nonces, "a", () => now++, new AbortController().signal);
    assert.equal(await next, 111);
  });

  it("start over if the clock is set back or corrected", () => {
    const nonces = new Nonces();
    nonces.take("a", 1_000);
    assert.equal(nonces.take("a", 940), 940);
    assert.equal(nonces.take("a", 940), 941);
  });

  it("stop waiting once the request is aborted", async () => {
    const nonces = new Nonces();
    while (nonces.take("a", 100) !== undefined);
    const controller = new AbortController();
    const waiting = takeNonce(nonces, "a", () => 100, controller.signal);
    controller.abort();
    await assert.rejects(waiting);
  });

  describe("of two processes that sign with one access key in the same second", () => {
    let folder = "";
    beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "nonces-"))));
    afterEach(() => rmSync(folder, { recursive: true, force: true }));

    it("are never the same", async () => {
      const module = new URL("../../../src/gateway/auth/nonces.ts", import.meta.url).href;
      const script = `import { claimNoncesIn, Nonces } from ${JSON.stringify(module)};
        const nonces = new Nonces(claimNoncesIn(${JSON.stringify(folder)}));
        console.log(JSON.stringify([1, 2, 3, 4].map(() => nonces.take("a", 1_000))));`;
      const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module", "--eval", script];
      const taken = await Promise.all(
        [1, 2].map(async () => {
          const child = spawn(process.execPath, flags, { stdio: ["ignore", "pipe", "inherit"] });
          const [output] = await Promise.all([text(child.stdout), once(child, "exit")]);
          const numbers: readonly number[] = JSON.parse(output);
          return numbers;
        }),
      );
      assert.equal(new Set(taken.flat()).size, 8, JSON.stringify(taken));
      assert.ok(taken.flat().every((nonce) => nonce >= 1_000 && nonce <= 1_010));
    }).timeout(30_000);

    it("leave no files of old requests, and none with the access key in its name", () => {
      const nonces = new Nonces(claimNoncesIn(folder));
      nonces.take("MYKEY", 1_000);
      nonces.take("MYKEY", 2_000);
      assert.equal(readdirSync(folder).length, 1);
      assert.doesNotMatch(readdirSync(folder).join(), /MYKEY/);
    });

    it("are unique within each process if no file can be written", () => {
      const nonces = new Nonces(claimNoncesIn(join("/dev/null", "nonces")));
      assert.deepEqual([nonces.take("a", 5), nonces.take("a", 5)], [5, 6]);
    });
  });
});
