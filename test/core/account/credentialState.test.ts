import assert from "node:assert/strict";
import { isRefusal } from "../../../src/core/account/credentialState.ts";

describe("A credential rejection", () => {
  it("is one of the gateway's four rejection reasons", () => {
    for (const reason of ["sessionToken", "stsToken", "authenticationType", "signature"] as const) {
      assert.equal(isRefusal({ reason }), true, reason);
    }
  });

  it("never comes from a network failure", () => {
    for (const reason of ["unreachable", "tls", "proxy", "timeout", "unavailable", "forbidden"] as const) {
      assert.equal(isRefusal({ reason }), false, reason);
    }
  });
});
