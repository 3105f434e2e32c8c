import assert from "node:assert/strict";
import { checkSignature } from "../../../src/localGateway/gpu/authenticate.ts";
import { HttpFailure } from "../../../src/localGateway/http/reply.ts";
import { signedQuery } from "../../support/localGatewaySignature.ts";

const credential = { accessKey: "key", apiSecret: "secret" };
const rules = { emptyValues: "omit", encoding: "hex" } as const;
const seconds = 1_800_000_000;

function check(nonce: string, nowMs: number): void {
  checkSignature(new URLSearchParams(signedQuery([], credential, nonce)), credential, nowMs, rules);
}

function isRefused(error: unknown): boolean {
  return error instanceof HttpFailure && error.statusCode === 401;
}

describe("The nonce window", () => {
  for (const offBy of [-30, -29, 0, 29, 30]) {
    it(`accepts a nonce that is ${offBy} s off`, () => check(String(seconds + offBy), seconds * 1000));
  }
  for (const offBy of [-3600, -31, 31, 3600]) {
    it(`refuses a nonce that is ${offBy} s off`, () =>
      assert.throws(() => check(String(seconds + offBy), seconds * 1000), isRefused));
  }
  it("uses the server's time in whole seconds", () => check(String(seconds - 30), seconds * 1000 + 999));
});
