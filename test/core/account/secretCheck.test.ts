import assert from "node:assert/strict";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { ErrorReason } from "../../../src/core/kernel/errors.ts";
import { classifyFailure } from "../../../src/core/account/secretCheck.ts";
import type { CheckVerdict } from "../../../src/core/account/secretCheck.ts";

const failure = (reason: ErrorReason): CheckVerdict =>
  classifyFailure(new ServiceError({ reason, message: `It is ${reason}.` }));

describe("The API secret of an access key", () => {
  const refused = (culprit?: "accessKey" | "apiSecret"): CheckVerdict =>
    classifyFailure(
      new ServiceError({
        reason: "signature",
        message: "Refused.",
        ...(culprit === undefined ? {} : { culprit }),
      }),
    );

  it("is reported as wrong if the server identifies it as the cause, and as unclear otherwise", () => {
    assert.equal(refused("apiSecret").verdict, "wrong");
    assert.equal(refused("accessKey").verdict, "wrong");
    assert.equal(refused().verdict, "unclear");
  });
});

describe("classifyFailure", () => {
  it("never calls a credential wrong because of a network failure", () => {
    for (const reason of ["unreachable", "tls", "proxy", "timeout", "unavailable"] as const) {
      assert.equal(failure(reason).verdict, "unreachable", reason);
    }
  });

  it("leaves the verdict open if the error is inconclusive", () => {
    for (const reason of ["forbidden", "rateLimit", "notFound", "malformed", "authenticationType"] as const) {
      assert.equal(failure(reason).verdict, "unclear", reason);
    }
  });

  it("treats a key as valid if its account is out of credit", () => {
    assert.deepEqual(failure("payment"), { verdict: "valid", notes: ["It is payment."] });
  });

  it("repeats nothing from an unknown error", () => {
    assert.ok(!JSON.stringify(classifyFailure(new Error("CANARY"))).includes("CANARY"));
  });
});
