import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { readServerAddress } from "../../../src/gateway/servers/addressFact.ts";

setFlagsFromString("--expose-gc");
const collectGarbage: unknown = runInNewContext("gc");

/** Bytes on the heap that are in use. */
function heapSize(): number {
  assert.ok(typeof collectGarbage === "function");
  for (let pass = 0; pass < 4; pass++) collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** An object with fields of different names, whose values are such objects down to this depth. */
function nested(depth: number, name: string): unknown {
  if (depth === 0) return "10.0.0.1";
  const names = Array.from({ length: 50 }, (_, at) => `${name}_${at}`);
  return Object.fromEntries(names.map((each) => [each, nested(depth - 1, each)]));
}

describe("The search for the address in a record", () => {
  it("remembers little about an endless record", () => {
    const [first, next] = [nested(3, "a"), nested(3, "b")];
    const before = heapSize();
    readServerAddress(first);
    readServerAddress(next);
    const remembered = heapSize() - before;
    assert.ok(remembered < 10_000_000, `${remembered} bytes`);
    assert.notEqual(JSON.stringify(first), JSON.stringify(next), "Both are still in memory.");
  });

  it("finds the same addresses however many different records came before", () => {
    const record = { name: "s", public_ip: "203.0.113.7", private_ip: "10.0.0.7" };
    const before = readServerAddress(record);
    for (let index = 0; index < 20_000; index++) readServerAddress({ [`name_${index}`]: 1 });
    assert.deepEqual(readServerAddress(record), before);
    assert.equal(before.address?.value, "203.0.113.7");
  });
});
