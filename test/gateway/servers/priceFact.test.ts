import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { isRecord } from "../../../src/core/kernel/json.ts";
import { parseFieldMapping } from "../../../src/core/servers/fieldMapping.ts";
import type { Server } from "../../../src/core/servers/server.ts";
import { formatPrice, parsePrice } from "../../../src/core/servers/serverPrice.ts";
import { readPrice } from "../../../src/gateway/servers/priceFact.ts";
import { readServerList } from "../../support/readServerList.ts";
import { assertLinearWork } from "../../support/countedWork.ts";

function read(record: object, mapping: object = {}): Server {
  const list = JSON.stringify({ servers: [record] });
  const [server] = readServerList(list, parseFieldMapping(mapping)).servers;
  assert.ok(server);
  return server;
}

const priceOf = (record: object, mapping?: object): string | undefined => read(record, mapping).price?.value;

describe("The prices in records of many clouds", () => {
  const file = new URL("../../fixtures/server-prices.json", import.meta.url);
  const corpus: unknown = JSON.parse(readFileSync(file, "utf8"));
  assert.ok(isRecord(corpus) && Array.isArray(corpus["cases"]));
  for (const each of corpus["cases"].filter(isRecord)) {
    const { id, record, expect, alsoAccept = [] } = each;
    assert.ok(isRecord(record) && isRecord(expect) && Array.isArray(alsoAccept));
    it(`are read exactly or not at all: ${String(id)}`, () => {
      const price = parsePrice(read(record).price);
      const found = {
        amount: price === undefined ? null : Number(price.amount.toPrecision(5)),
        currency: price?.currency ?? null,
        basis: price === undefined ? null : price.perGpu ? "gpu" : "server",
        certainty: price === undefined ? "unknown" : price.isEstimate ? "derived" : "stated",
      };
      const accepted = [expect, ...alsoAccept.map((more: object) => ({ ...expect, ...more }))].map(
        (wanted) => {
          const {
            amountPerHour: amount,
            currency = null,
            basis = null,
            certainty,
          }: Record<string, unknown> = wanted;
          const rounded = typeof amount === "number" ? Number(amount.toPrecision(5)) : null;
          return { amount: rounded, currency, basis, certainty };
        },
      );
      assert.ok(
        accepted.some((wanted) => JSON.stringify(wanted) === JSON.stringify(found)),
        `${JSON.stringify(found)}, expected ${JSON.stringify(accepted[0])}`,
      );
    });
  }
});

describe("The price of a server", () => {
  const gpus = { id: "s", gpu_count: 2, gpu_model: "H100" };
  const known: readonly (readonly [record: object, price: string])[] = [
    [{ cost_per_hour: "$4.30" }, "4.3 USD per hour"],
    [{ hourlyPrice: { amount: 2.5, currency: "EUR" } }, "2.5 EUR per hour"],
    [{ price: { hourly: 2.5, currency: "EUR" } }, "2.5 EUR per hour"],
    [{ pricing: { on_demand: { hourly: 3.2 } } }, "3.2 per hour"],
    [{ rate: 2.5, rate_type: "hourly" }, "2.5 per hour"],
    [{ billing_cycle: "monthly", price: 1460 }, "about 2 per hour"],
    [{ price_per_min: 0.05 }, "about 3 per hour"],
    [{ price_usd_per_hour: 4 }, "4 USD per hour"],
    [{ estimated_hourly_cost: 4 }, "about 4 per hour"],
    [{ price_micros_per_hour: 4_300_000 }, "4.3 per hour"],
    [{ price: "CHF 2.20/h" }, "2.2 CHF per hour"],
    [{ price: "4,99 元/卡/小时" }, "4.99 CNY per GPU and hour"],
    [{ machine: { costPerHr: 9 }, costPerHr: 8 }, "8 per hour"],
    [{ is_spot: true, spot_price_per_hour: 1, price_per_hour: 3 }, "1 per hour"],
    [{ regular_hourly_price: 5, hourly_price: 4 }, "4 per hour"],
    [{ price_per_card_hour: 3.2 }, "3.2 per GPU and hour"],
    [{ price_per_hour: 3.2, price_unit: "GPU" }, "3.2 per GPU and hour"],
    [{ price_per_hour: 150, price_unit: "cents" }, "1.5 per hour"],
    [{ price_per_hour: "A$3.10" }, "3.1 AUD per hour"],
    [{ price_per_hour: "2.49 USD (excl. VAT)" }, "2.49 USD per hour"],
    [{ lifecycle: "spot", pricing: { hourly: 3, spot_hourly: 1 } }, "1 per hour"],
    [{ preis_pro_std: "2,19 €" }, "2.19 EUR per hour"],
    [{ preis_pro_stunde: "2,49 EUR" }, "2.49 EUR per hour"],
    [{ computeRateHourly: 1.99, rateUnit: "perGpu" }, "1.99 per GPU and hour"],
    [{ price_per_hour: 2, price_type: "per_gpu" }, "2 per GPU and hour"],
    [{ price_per_hour: 2, per_gpu: true }, "2 per GPU and hour"],
    [{ price_per_gpu_hour: { amount: "1.00", currency: "USD" } }, "1 USD per GPU and hour"],
    [{ price_per_hour: 5, price_per_gpu_hour: 2.5 }, "5 per hour"],
    [{ hourlyPriceExclVat: 1, hourlyPriceInclVat: 1.19 }, "1 per hour"],
    [{ price_per_hour: { net: 1, gross: 1.19, vat_rate: 19, currency: "EUR" } }, "1 EUR per hour"],
    [{ price: { value: 1460, currencyCode: "EUR" }, duration: "P1M" }, "about 2 EUR per hour"],
    [{ price: { amount: 48, period: "P1D", currency: "USD" } }, "about 2 USD per hour"],
    [{ price: { value: 2.8, currencyCode: "EUR" }, interval: 1, intervalUnit: "hour" }, "2.8 EUR per hour"],
    ...[
      { type: "spot" },
      { spot: { enabled: true } },
      { interruptible: "true" },
      { preemptible: 1 },
      { priority: "Spot" },
      { rental_type: "spot" },
    ].map((spot) => [{ ...spot, price_per_hour: 3, spot_price_per_hour: 1 }, "1 per hour"] as const),
    [{ is_spot: true, pricing: { on_demand: { hourly: 3 }, spot: { hourly: 1 } } }, "1 per hour"],
    [{ contract: "SPOT", price_per_hour: 1, on_demand_price_per_hour: 3 }, "1 per hour"],
    [{ price_per_hour: 2, interval: "30s" }, "2 per hour"],
    [{ name: "spot", price_per_hour: 3, spot_price_per_hour: 1 }, "3 per hour"],
  ];
  for (const [fields, price] of known)
    it(`is read from ${JSON.stringify(fields)}`, () => assert.equal(priceOf({ ...gpus, ...fields }), price));

  const unknown: readonly object[] = [
    { refresh_rate_minutes: 1 },
    { error_rate_per_hour: 3 },
    { maintenance_cost_per_hour: 3 },
    { last_24_hours: { cost: 12 } },
    { usage: { hourly: { cost: 12 } } },
    { max_hourly_price: 3 },
    { min_price_per_hour: 3 },
    { spot_price_per_hour: 1 },
    { price_per_hour_usd: 2, price_per_hour_eur: 1.8 },
    { price_per_hour: "from 2.10" },
    { price_per_hour: "1.20 - 3.40" },
    { price_per_hour: "1,234" },
    { price_per_hour: -1 },
    { price_per_hour: 0 },
    { price_per_hour: 350 },
    { gpu: { price_per_hour: 2 } },
    { project: { hourly_cost: 40 } },
    { prices: [{ hourly: 1 }, { hourly: 2 }] },
    { hourly: 4 },
    { price: 4 },
    { price: 4, price_unit: "GB" },
    { price: 4, unit: "3 months" },
    { price: "3 credits/hour" },
    { price_per_hour: 2.5, currency: "credits" },
    { price_per_hour: "up to $3.20" },
    { price_per_hour: "≤ $3.20" },
    { price_per_month: "1.460 €" },
    { price: "3.20 USD/vCPU/h" },
    { price: { amount: 19, currency: "USD", exponent: 2, period: "hour" } },
    { price: { min: 1, max: 3 } },
    { min_price: 1 },
    { std_rate: 5 },
    { current_month_cost: 300 },
    { billing_model: "reserved", on_demand_price_hourly: 3 },
    { pricing: { on_demand: { hourly: 3 } }, provisioning_model: "SPOT" },
    { sampling: { rate: 1, interval: "hour" } },
    { support_plan: { price_monthly: 100 } },
    { load_balancer: { cost_per_hour: 0.03 } },
    { unit_price: 0.5, quantity: 8, unit: "hour" },
    { nodes: 4, price_per_node_hour: 5 },
    { gpu_cost_per_hour: 16 },
    { hourly_cost: { gpu: 12, cpu: 2 } },
    { price_per_hour: 5, price_per_gpu_hour: 2 },
    { price_per_hour: 49, currency: "USD cents" },
    { price_per_hour: 49, minor_units: true },
    { pricing: { price: { amount: 49, period: "hourly", agent: "platform" } } },
    { price_per_hour: 49, price_divisor: 100 },
    { price: 12, period: "hour", period_count: 6 },
    { price: { value: 2.8, currencyCode: "EUR" }, interval: 6, intervalUnit: "hour" },
    { price: 4380, billing_period: "P3M" },
    { price_per_hour: 3, spot_price: 1, interruptible: true },
    { hourly: { tax: 0.2 }, vat_rate_per_hour: 1 },
  ];
  for (const fields of unknown)
    it(`is unknown with ${JSON.stringify(fields)}`, () =>
      assert.equal(priceOf({ ...gpus, ...fields }), undefined));

  it("is read at the place and in the unit that the user names", () => {
    const record = { ...gpus, billing: { hourly_price: 210 }, payg_price: 1980, price: 4 };
    const mapped = (place: string): string | undefined => priceOf(record, { price: place });
    assert.equal(mapped("billing.hourly_price in US cents per hour"), "2.1 USD per hour");
    assert.equal(mapped("payg_price in CNY/1000 per GPU-hour"), "1.98 CNY per GPU and hour");
    assert.equal(mapped("price"), "4 per hour");
    assert.equal(mapped("price in EUR per day"), "about 0.16666667 EUR per hour");
    assert.equal(mapped("name in EUR per day"), undefined);
  });

  it("is shown for the whole server if its GPUs are known, and otherwise per GPU", () => {
    const perGpu = { id: "s", price_per_gpu_hour: 2.49, currency: "USD" };
    assert.equal(formatPrice(read(perGpu)), "$2.49/h per GPU");
    assert.equal(formatPrice(read({ ...perGpu, gpu_count: 8 })), "$19.92/h");
    assert.equal(formatPrice(read({ id: "s", price_per_hour: 3.2 })), "3.20/h");
    assert.equal(formatPrice(read({ id: "s", price_monthly: 1460, currency: "EUR" })), "≈ €2.00/h");
  });

  it("is found in linear time", () => {
    const record = (size: number): object => ({
      id: "s",
      price: "1,".repeat(size),
      ...Object.fromEntries(
        Array.from({ length: size }, (_, at) => [`hourly_price_${at}`, { [`cost_${at}`]: at }]),
      ),
    });
    const work = (each: object): void =>
      void readPrice(each, { gpus: 1, currency: undefined, isStopped: false });
    // Not the whole reader. The names of fields, which are remembered, cost more the first time.
    work(record(400));
    assertLinearWork(200, record, work);
  });
});
