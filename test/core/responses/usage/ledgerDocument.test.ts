import assert from "node:assert/strict";
import { describeRow, ledgerDocument } from "../../../../src/core/responses/usage/ledgerDocument.ts";
import type { LedgerRow } from "../../../../src/core/responses/usage/ledgerRow.ts";
import { createAttempt, createExchange } from "../../../support/exchanges.ts";

const startedAt = Date.UTC(2026, 0, 2, 3, 4, 5);
const row: LedgerRow = {
  id: "row-1",
  startedAt,
  purpose: "extension",
  extension: "some.extension",
  profile: "Lab",
  model: "organization/model",
  outcome: "complete",
  attempts: 1,
  durationMs: 12,
  usage: { promptTokens: 1_000, completionTokens: 200 },
  isEstimated: false,
  cost: { amount: 0.5, currency: "USD" },
};

/** The document without its comments. */
function parse(text: string): unknown {
  return JSON.parse(text.replaceAll(/^\s*\/\/.*$/gm, ""));
}

describe("A row of the usage records", () => {
  it("is shown in words, with everything that is recorded and its request", () => {
    assert.equal(
      describeRow(row, "en"),
      "Other extension · some.extension · Lab · Complete · 1,200 tokens · $0.50",
    );
    const text = ledgerDocument(row, createExchange({ purpose: "extension" }), "en");
    assert.match(text, /\/\/ {3}"extension": "some.extension"/);
    const value = parse(text);
    assert.match(JSON.stringify(value), /"model":"organization\/model"/);
  });

  it("mentions that its request or its content is missing", () => {
    assert.match(ledgerDocument(row, undefined, "en"), /The request itself isn't available/);
    assert.deepEqual(parse(ledgerDocument(row, undefined, "en")), {});
    const { request } = createAttempt();
    const attempts = [createAttempt({ request: { ...request, body: "" } })];
    const text = ledgerDocument(row, createExchange({ attempts }), "en");
    assert.match(
      text,
      /content of this request isn't kept. The setting “inferenceGateway\.requests\.keepContent”/,
    );
  });

  it("shows only the values that it names, each on its own line", () => {
    const strange = { ...row, model: "a\n*/ evil\u2028x", secret: "sk-never-shown" };
    const text = ledgerDocument(strange, undefined, "en");
    assert.doesNotMatch(text, /sk-never-shown|\u2028|^\*\//m);
    assert.deepEqual(parse(text), {});
  });
});
