import assert from "node:assert/strict";
import { ServiceError, failureLogLine } from "../../../src/core/kernel/errors.ts";

describe("failureMessage", () => {
  it("includes reason, request, status, code, request ID and cause in one line", () => {
    const facts = {
      reason: "unavailable",
      message: "It failed.",
      request: "GET https://gateway.example/v1/models",
      statusCode: 503,
      code: "overloaded",
      requestId: "r-1",
    } as const;
    assert.equal(
      failureLogLine(new ServiceError(facts, new Error("connect ECONNREFUSED"))),
      "It failed. [unavailable, GET https://gateway.example/v1/models, status 503, code overloaded, request id r-1, cause: connect ECONNREFUSED]",
    );
  });

  it("repeats nothing and leaves out unknown facts", () => {
    const facts = {
      reason: "timeout",
      message: "Silence (GET https://a.example/)",
      request: "GET https://a.example/",
    };
    assert.equal(
      failureLogLine(new ServiceError({ ...facts, reason: "timeout" })),
      "Silence (GET https://a.example/) [timeout]",
    );
  });
});
