import assert from "node:assert/strict";
import { asksAgain, asksModel, errorActions } from "../../../src/core/panel/errorActions.ts";

const message = "It failed.";

describe("errorActions", () => {
  it("offers to set the very credential that is missing", () => {
    const offered = (["apiKey", "accessKey", "sessionToken", "stsToken"] as const).map(
      (credential) => errorActions({ reason: "missingCredential", message, credential })[0],
    );
    assert.deepEqual(offered, ["setApiKey", "setAccessKey", "setSessionToken", "setStsToken"]);
  });

  it("offers the profiles where it is not known which one is missing", () => {
    assert.equal(errorActions({ reason: "missingCredential", message })[0], "openProfiles");
  });

  it("offers another model where the same server may serve it", () => {
    for (const reason of [
      "notFound",
      "badRequest",
      "rateLimit",
      "unavailable",
      "overloaded",
      "unknownModel",
      "service",
    ] as const)
      assert.ok(errorActions({ reason, message }).includes("askOtherModel"), reason);
    for (const reason of ["unreachable", "apiKey", "tls", "configuration"] as const)
      assert.ok(!errorActions({ reason, message }).includes("askOtherModel"), reason);
  });

  it("offers first what solves the problem of a rejected request", () => {
    const link = "https://billing.example/";
    assert.equal(errorActions({ reason: "contextLength", message })[0], "retryShorter");
    assert.equal(errorActions({ reason: "unknownModel", message })[0], "askOtherModel");
    assert.equal(errorActions({ reason: "payment", message, link })[0], "addCredit");
    assert.ok(!errorActions({ reason: "payment", message }).includes("addCredit"));
    const parameter = "top_k";
    assert.equal(
      errorActions({ reason: "unsupportedParameter", message, parameter })[0],
      "retryWithoutParameter",
    );
    assert.ok(!errorActions({ reason: "unsupportedParameter", message }).includes("retryWithoutParameter"));
    assert.ok((["retryShorter", "retryWithoutParameter"] as const).every(asksAgain));
    assert.ok(!asksAgain("addCredit"));
  });

  it("shows no request where none was sent", () => {
    for (const reason of ["missingCredential", "configuration", "insecure"] as const)
      assert.ok(!errorActions({ reason, message }).includes("inspectRequest"), reason);
  });

  it("tells what has a model asked, so that the budget has its say", () => {
    assert.ok((["regenerate", "continue", "askOtherModel"] as const).every(asksModel));
    assert.ok(!(["fork", "inspectRequest", "selectVersion"] as const).some(asksModel));
  });
});
