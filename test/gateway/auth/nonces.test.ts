import assert from "node:assert/strict";
import { Nonces, takeNonce } from "../../../src/gateway/auth/nonces.ts";

describe("Nonces", () => {
  it("are unique within a second and increase for the same content, and are shared by requests that differ", () => {
    const nonces = new Nonces();
    assert.deepEqual(
      [1, 2, 3].map(() => nonces.take("a", 100)),
      [100, 101, 102],
    );
    assert.equal(nonces.take("b", 100), 100);
    assert.equal(nonces.take("a", 101), 103);
    assert.equal(nonces.take("a", 200), 200);
  });

  it("are forgotten once their second is over", () => {
    const nonces = new Nonces();
    for (let page = 0; page < 100; page++) assert.equal(nonces.take(`page=${page}`, 100), 100);
    assert.equal(nonces.take("page=1", 100), 101);
    assert.equal(nonces.take("page=1", 101), 102);
    assert.equal(nonces.take("page=2", 101), 101);
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
});
