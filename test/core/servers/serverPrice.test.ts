import assert from "node:assert/strict";
import { runningCostsText, writePrice } from "../../../src/core/servers/serverPrice.ts";
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

  it("isn't shown if no price is known", () => {
    assert.equal(runningCostsText([server("running"), server("stopped")]), "");
    assert.equal(runningCostsText([]), "");
  });
});
