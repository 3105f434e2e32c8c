import assert from "node:assert/strict";
import { remediesBy, remediesFor, remedyLabel, setRemedy } from "../../../src/core/account/remedies.ts";
import { secretKinds } from "../../../src/core/account/credentialKinds.ts";
import { errorReasons } from "../../../src/core/kernel/errors.ts";
import type { ErrorFacts } from "../../../src/core/kernel/errors.ts";
import { asksAgain, asksModel, parseMessageAction } from "../../../src/core/panel/pageActions.ts";

const message = "It failed.";

const chatRemedies = (error: ErrorFacts) => remediesFor(error, "chat");

describe("What fixes an error", () => {
  it("offers to set the very credential that is missing", () => {
    const offered = (["apiKey", "accessKey", "sessionToken", "stsToken"] as const).map(
      (credential) => chatRemedies({ reason: "missingCredential", message, credential })[0],
    );
    assert.deepEqual(offered, ["setApiKey", "setAccessKey", "setSessionToken", "setStsToken"]);
  });

  it("offers the profiles where it is not known which one is missing", () => {
    assert.equal(chatRemedies({ reason: "missingCredential", message })[0], "openProfiles");
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
      assert.ok(chatRemedies({ reason, message }).includes("askOtherModel"), reason);
    for (const reason of ["unreachable", "apiKey", "tls", "configuration"] as const)
      assert.ok(!chatRemedies({ reason, message }).includes("askOtherModel"), reason);
  });

  it("offers first what solves the problem of a rejected request", () => {
    const link = "https://billing.example/";
    assert.equal(chatRemedies({ reason: "contextLength", message })[0], "retryShorter");
    assert.equal(chatRemedies({ reason: "contextLength", message })[1], "summarize");
    assert.equal(chatRemedies({ reason: "unknownModel", message })[0], "askOtherModel");
    assert.equal(chatRemedies({ reason: "payment", message, link })[0], "addCredit");
    assert.ok(!chatRemedies({ reason: "payment", message }).includes("addCredit"));
    const parameter = "top_k";
    assert.equal(
      chatRemedies({ reason: "unsupportedParameter", message, parameter })[0],
      "retryWithoutParameter",
    );
    assert.ok(!chatRemedies({ reason: "unsupportedParameter", message }).includes("retryWithoutParameter"));
    assert.ok((["retryShorter", "summarize", "retryWithoutParameter"] as const).every(asksAgain));
    assert.ok(!asksAgain("addCredit"));
  });

  it("shows no request where none was sent", () => {
    for (const reason of ["missingCredential", "configuration", "insecure"] as const)
      assert.ok(!chatRemedies({ reason, message }).includes("inspectRequest"), reason);
  });

  it("reports what has a model asked, so that the budget has its say", () => {
    assert.ok((["regenerate", "continue", "askOtherModel"] as const).every(asksModel));
    assert.ok(!(["fork", "inspectRequest", "selectVersion"] as const).some(asksModel));
  });

  it("has words for every remedy that has a button", () => {
    for (const remedy of remediesBy("anywhere", "chat", "message", "servers"))
      assert.match(
        remedyLabel(remedy, { parameter: "top_k", link: "https://billing.example/x" }),
        /\S/,
        remedy,
      );
    assert.equal(
      remedyLabel("addCredit", { link: "https://billing.example:8443/x" }),
      "Open billing.example:8443",
    );
  });

  it("lets the page ask for each remedy that works on a message", () => {
    for (const remedy of remediesBy("message")) assert.equal(parseMessageAction(remedy), remedy);
    for (const other of ["retry", "toString", "__proto__", 7, undefined])
      assert.equal(parseMessageAction(other), undefined);
  });

  it("offers a place only what can be done there, for every reason of an error", () => {
    const inServers = new Set<string>(remediesBy("anywhere", "servers"));
    const inNotification = new Set<string>(remediesBy("anywhere"));
    for (const reason of errorReasons) {
      for (const remedy of remediesFor({ reason, message }, "servers")) assert.ok(inServers.has(remedy));
      for (const remedy of remediesFor({ reason, message }, "notification"))
        assert.ok(inNotification.has(remedy));
      assert.notEqual(remediesFor({ reason, message }, "chat").length, 0, reason);
    }
  });

  it("offers to set the credential that was refused, then the one that the gateway asks for", () => {
    for (const credential of secretKinds) {
      const [first, second] = remediesFor({ reason: "sessionToken", message, credential }, "servers");
      assert.equal(first, setRemedy(credential));
      assert.equal(second, credential === "sessionToken" ? "refresh" : "setSessionToken");
    }
  });
});
