import assert from "node:assert/strict";
import { parseServerPricing } from "../../../../src/core/account/serverPricing.ts";
import { PricedServers, readAmount } from "../../../../src/core/servers/cost/pricedServers.ts";
import type { Server, ServerStatus } from "../../../../src/core/servers/server.ts";
import {
  formatPrice,
  hourlyRate,
  runningCostsText,
  writePrice,
} from "../../../../src/core/servers/serverPrice.ts";
import { createServer } from "../../../support/serverSections.ts";

const fact = (value: string) => ({ value, source: "x" });
const price = (amount: number, currency?: string) =>
  fact(writePrice({ amount, currency, perGpu: false, isEstimate: false }));

function parse(setting: unknown) {
  const problems: string[] = [];
  return { pricing: parseServerPricing(setting, (problem) => problems.push(problem)), problems };
}

function priced(servers: readonly Server[], setting: unknown): readonly Server[] {
  const { pricing, problems } = parse(setting);
  assert.deepEqual(problems, []);
  return new PricedServers().apply(servers, pricing);
}

const statuses: readonly ServerStatus[] = ["running", "stopped", "starting", "stopping", "error", "unknown"];
const inEachState = statuses.map((status) => createServer(status, { status, price: price(10, "USD") }));
const rates = (servers: readonly Server[]) => servers.map((server) => hourlyRate(server)?.amount);

describe("What the user states about prices", () => {
  it("applies to the server's name before its type and its GPU", () => {
    const servers = [
      createServer("a", { name: fact("trainer"), type: fact("n3-H100x8"), gpuModel: fact("H100") }),
      createServer("b", { type: fact("N3-h100X8"), gpuModel: fact("H100"), gpuCount: fact("8") }),
      createServer("c", { gpuModel: fact("NVIDIA H100"), gpuCount: fact("2") }),
      createServer("d", { gpuModel: fact("A100"), price: price(1.5, "EUR") }),
    ];
    const prices = {
      trainer: { amount: 9, currency: "usd" },
      "n3-h100x8": { amount: 15, currency: "USD", per: "server" },
      H100: { amount: 2.5, currency: "USD", per: "gpu" },
    };
    const result = priced(servers, { prices });
    assert.deepEqual(result.map(formatPrice), ["$9.00/h", "$15.00/h", "$5.00/h", "€1.50/h"]);
  });

  it("includes what servers cost that don't run: nothing, the full price, an amount, or unknown", () => {
    const rules = { stopped: "full", starting: "nothing", failed: { amount: 0.5, currency: "USD" } };
    const servers = priced(inEachState, rules);
    assert.deepEqual(rates(servers), [10, 10, 0, undefined, 0.5, undefined]);
    assert.equal(runningCostsText(servers), "$20.50/h + 2 unclear");
    assert.equal(runningCostsText(priced(inEachState, { stopped: "unknown" })), "$10.00/h + 5 unclear");
  });

  it("doesn't replace what a record itself states about a stopped server", () => {
    const server = createServer("a", {
      status: "stopped",
      price: price(20.1, "USD"),
      costNow: price(0.42, "USD"),
    });
    assert.deepEqual(rates(priced([server], { stopped: "full" })), [0.42]);
  });

  it("adds the currency to prices that don't name one, and to no others", () => {
    const servers = [createServer("a", { price: price(3.2) }), createServer("b", { price: price(1, "USD") })];
    assert.deepEqual(priced(servers, { currency: "EUR" }).map(formatPrice), ["€3.20/h", "$1.00/h"]);
    assert.equal(runningCostsText(servers), "3.20/h + $1.00/h");
  });

  it("leaves servers the same objects until they or the prices change", () => {
    const prices = new PricedServers();
    const [first, second] = [{ stopped: "full" }, { stopped: "nothing" }].map(
      (setting) => parse(setting).pricing,
    );
    const before = prices.apply(inEachState, first);
    assert.ok(prices.apply(inEachState, structuredClone(first)).every((server, at) => server === before[at]));
    assert.deepEqual(rates(prices.apply(inEachState, second)).slice(0, 2), [10, 0]);
    assert.equal(prices.apply(inEachState, undefined), inEachState);
  });

  it("is left out and reported where it is invalid", () => {
    const { pricing, problems } = parse({
      prices: {
        H100: { amount: -1, currency: "USD" },
        A100: { amount: 1 },
        L4: { amount: 1, currency: "USD" },
      },
      currency: "€",
      stopped: "free",
    });
    assert.deepEqual(pricing, { prices: { L4: { amount: 1, currency: "USD", per: "server" } } });
    assert.equal(problems.length, 4);
  });

  it("is typed as an amount with a currency, in the ways people write it, and never guessed", () => {
    const typed = (text: string, usual?: string) => {
      const { amount, currency } = readAmount(text, usual) ?? {};
      return amount === undefined ? undefined : `${amount} ${currency}`;
    };
    assert.equal(typed("2.49 USD"), "2.49 USD");
    assert.equal(typed(" $2.49"), "2.49 USD");
    assert.equal(typed("2,49 €"), "2.49 EUR");
    assert.equal(typed("12", "GBP"), "12 GBP");
    for (const text of ["12", "1,234", "¥12", "12 dollars", "-1 USD", "", "$2 EUR", "1.2.3 USD", "∞"])
      assert.equal(typed(text), undefined, text);
  });
});
