import assert from "node:assert/strict";
import { priceOrder, runningCostsText, writePrice } from "../../../src/core/servers/serverPrice.ts";
import { compareKeys } from "../../../src/core/servers/sortRows.ts";
import type { Server, ServerStatus } from "../../../src/core/servers/server.ts";

function server(
  status: ServerStatus,
  amount?: number,
  currency?: string,
  perGpu = false,
  gpus?: number,
): Server {
  const value = amount && writePrice({ amount, currency, perGpu, isEstimate: false });
  return {
    key: `${status}-${amount}`,
    status,
    price: value === undefined ? undefined : { value: String(value), source: "price" },
    gpuCount: gpus === undefined ? undefined : { value: String(gpus), source: "gpus" },
    record: {},
  };
}

describe("What running servers cost", () => {
  it("is added up for each currency, and never across currencies", () => {
    const servers = [
      server("running", 24, "USD"),
      server("running", 37.4, "USD"),
      server("running", 32, "EUR"),
    ];
    assert.equal(runningCostsText(servers), "$61.40/h + €32.00/h");
  });

  it("counts a price per GPU for each GPU, and what isn't known instead of leaving it out", () => {
    const known = server("running", 2.5, "USD", true, 8);
    assert.equal(runningCostsText([known]), "$20.00/h");
    const open = [server("running", 2.5, "USD", true), server("running"), server("stopped", 9, "USD")];
    assert.equal(runningCostsText([known, ...open]), "$20.00/h + 3 unclear");
  });

  it("sorts the servers of one currency by its amount, without comparing it with other currencies", () => {
    const servers = [
      server("running", 900, "JPY"),
      server("running", 9.5, "USD"),
      server("running", 2.49, "USD", true, 8),
      server("running", 32, "EUR"),
      server("running", 2.5, "USD"),
    ];
    const sorted = servers.toSorted((one, other) =>
      compareKeys(priceOrder(one).order, priceOrder(other).order),
    );
    assert.deepEqual(
      sorted.map(({ price }) => price?.value),
      [
        "32 EUR per hour",
        "900 JPY per hour",
        "2.5 USD per hour",
        "9.5 USD per hour",
        "2.49 USD per GPU and hour",
      ],
    );
  });

  it("isn't shown if no price is known", () => {
    assert.equal(runningCostsText([server("running"), server("stopped")]), "");
    assert.equal(runningCostsText([]), "");
  });
});
