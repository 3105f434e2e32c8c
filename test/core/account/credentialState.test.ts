import assert from "node:assert/strict";
import { isRefusal } from "../../../src/core/account/credentialState.ts";

describe("A refusal of the credential", () => {
  it("is one of the four of the gateway", () => {
    for (const reason of ["sessionToken", "stsToken", "authenticationType", "signature"] as const) {
      assert.equal(isRefusal({ reason }), true, reason);
    }
  });

  it("is never what happens on the way", () => {
    for (const reason of ["unreachable", "tls", "proxy", "timeout", "unavailable", "forbidden"] as const) {
      assert.equal(isRefusal({ reason }), false, reason);
    }
  });
});
