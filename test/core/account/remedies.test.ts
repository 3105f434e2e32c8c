import assert from "node:assert/strict";
import { remediesBy, remediesFor, remedyLabel, setRemedy } from "../../../src/core/account/remedies.ts";
import { secretKinds } from "../../../src/core/account/credentialKinds.ts";
import { errorReasons } from "../../../src/core/kernel/errors.ts";
import type { ErrorFacts } from "../../../src/core/kernel/errors.ts";
import { asksAgain, asksModel } from "../../../src/core/panel/pageActions.ts";

const message = "It failed.";

const chatRemedies = (error: ErrorFacts) => remediesFor(error, "chat");

describe("Remedies for an error", () => {
  it("offer to set the missing credential", () => {
    const offered = (["apiKey", "accessKey", "sessionToken", "stsToken"] as const).map(
      (credential) => chatRemedies({ reason: "missingCredential", message, credential })[0],
    );
    assert.deepEqual(offered, ["setApiKey", "setAccessKey", "setSessionToken", "setStsToken"]);
  });

  it("offer to select a profile if it is unknown which credential is missing", () => {
    assert.equal(chatRemedies({ reason: "missingCredential", message })[0], "openProfiles");
  });

  it("offer another model if the same server may serve it", () => {
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

  it("offer the fix for a rejected request first", () => {
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

  it("offer to change the budget that kept a message from being sent, and then to send the message", () => {
    assert.deepEqual(chatRemedies({ reason: "budget", message }), ["editBudget", "retry"]);
    assert.equal(remedyLabel("editBudget"), "Edit Budget…");
  });

  it("don't offer to show a request if none was sent", () => {
    for (const reason of ["missingCredential", "configuration", "insecure"] as const)
      assert.ok(!chatRemedies({ reason, message }).includes("inspectRequest"), reason);
  });

  it("count against the budget if they send a request to a model", () => {
    assert.ok((["regenerate", "continue", "askOtherModel"] as const).every(asksModel));
    assert.ok(!(["fork", "inspectRequest", "selectVersion"] as const).some(asksModel));
  });

  it("have a label if they have a button", () => {
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

  it("fit the place where they are shown, for every error reason", () => {
    const inServers = new Set<string>(remediesBy("anywhere", "servers"));
    const inNotification = new Set<string>(remediesBy("anywhere"));
    for (const reason of errorReasons) {
      for (const remedy of remediesFor({ reason, message }, "servers")) assert.ok(inServers.has(remedy));
      for (const remedy of remediesFor({ reason, message }, "notification"))
        assert.ok(inNotification.has(remedy));
      assert.notEqual(remediesFor({ reason, message }, "chat").length, 0, reason);
    }
  });

  it("offer to set the rejected credential, then the one that the gateway asks for", () => {
    for (const credential of secretKinds) {
      const [first, second] = remediesFor({ reason: "sessionToken", message, credential }, "servers");
      assert.equal(first, setRemedy(credential));
      assert.equal(second, credential === "sessionToken" ? "refresh" : "setSessionToken");
    }
  });

  it("offer to create a key if the console is known, and never for a token", () => {
    const link = "https://console.example.com";
    const missing = { reason: "missingCredential", message: "" } as const;
    assert.deepEqual(remediesFor({ ...missing, credential: "apiKey", link }, "servers"), [
      "setApiKey",
      "createKey",
    ]);
    assert.deepEqual(remediesFor({ ...missing, credential: "stsToken", link }, "servers"), ["setStsToken"]);
    assert.deepEqual(remediesFor({ ...missing, credential: "apiKey" }, "servers"), ["setApiKey"]);
    assert.ok(remediesFor({ reason: "signature", message: "", link }, "chat").includes("createKey"));
  });
});
