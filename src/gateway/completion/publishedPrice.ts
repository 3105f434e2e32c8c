import type { Price } from "../../core/conversation/completion.ts";
import { usualCurrency } from "../../core/conversation/prices.ts";
import { isRecord, recordsIn, stringField } from "../../core/kernel/json.ts";
import type { JsonRecord } from "../../core/kernel/json.ts";

/**
 * What gateways call a price, with the factor to the price of a million tokens. Where it is `unit`, the name doesn't
 * contain the unit, so the object of prices shows it. Novita and xAI count in 10,000ths of a dollar.
 */
const priceNames = {
  input: {
    ...{ prompt: "unit", input: "unit", input_tokens: "unit", prompt_tokens: "unit", input_price: "unit" },
    ...{ input_cost_per_token: 1e6, cents_per_input_token: 1e4, input_usd_per_1m_tokens: 1 },
    ...{ input_token_price_per_m: 1e-4, prompt_text_token_price: 1e-4 },
  },
  output: {
    ...{ completion: "unit", completions: "unit", output: "unit", output_tokens: "unit" },
    ...{ completion_tokens: "unit", output_price: "unit" },
    ...{ output_cost_per_token: 1e6, cents_per_output_token: 1e4, output_usd_per_1m_tokens: 1 },
    ...{ output_token_price_per_m: 1e-4, completion_text_token_price: 1e-4 },
  },
  cachedInput: {
    ...{ input_cache_read: "unit", cache_read_tokens: "unit", cache_read: "unit", cached_input: "unit" },
    ...{ cache_input: "unit", cached_price: "unit" },
    ...{ cache_read_input_token_cost: 1e6, cache_read_usd_per_1m_tokens: 1 },
    ...{ cached_input_token_price_per_m: 1e-4, cached_prompt_text_token_price: 1e-4 },
  },
  cacheWrite: {
    ...{ input_cache_write: "unit", cache_write_tokens: "unit", cache_write: "unit", caching_price: "unit" },
    ...{ cache_creation_input_token_cost: 1e6, cache_write_usd_per_1m_tokens: 1 },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, number | "unit">>>>;

type Kind = keyof typeof priceNames;

/** No model costs this much per token, or this little per million tokens. */
const betweenUnits = 0.001;
/** No million tokens cost this much, so the number is something else. */
const tooHigh = 10_000;

/**
 * The price of a model per million tokens, as gateways publish it in their lists of models. Undefined unless the prices
 * of both input and output are known; zero is a price only of a model that is called free.
 */
export function readPublishedPrice(record: JsonRecord): Price | undefined {
  const isFree = ["id", "name"].some((name) => /\bfree\b/i.test(stringField(record, name) ?? ""));
  const { pricing, price, metadata, model_info: info, model_spec: spec } = record;
  const objects = [
    pricing,
    price,
    fieldOf(metadata, "pricing"),
    fieldOf(spec, "pricing"),
    fieldOf(pricing, "global"),
  ];
  const own = [...objects.map((object) => readPrice(object)), readPrice(info, true), readPrice(record, true)];
  const found = own.find((one) => one !== undefined && (isFree || one.input + one.output > 0));
  if (found !== undefined) return found;
  // A router may choose any of its providers.
  const providers = recordsIn(record["providers"])
    .filter(({ status = "live" }) => status === "live")
    .flatMap((provider) => readPrice(provider["pricing"]) ?? []);
  const most = (kind: "input" | "output"): number => Math.max(0, ...providers.map((one) => one[kind]));
  const [first] = providers;
  return first === undefined || most("output") === 0
    ? undefined
    : { input: most("input"), output: most("output"), currency: first.currency };
}

type WholePrice = Price & Required<Pick<Price, "input" | "output">>;

/** @param isMixed The object contains more than prices, so only names of prices are read. */
function readPrice(object: unknown, isMixed = false): WholePrice | undefined {
  if (!isRecord(object)) return undefined;
  const amountsOf = (kind: Kind): readonly (readonly [amount: number, unit: number | "unit"])[] =>
    Object.entries(priceNames[kind]).flatMap(([name, unit]) => {
      const amount =
        isMixed && unit === "unit" && !name.endsWith("_price") ? undefined : amountIn(object[name]);
      return amount === undefined ? [] : [[amount, unit]];
    });
  const inUnit = [...amountsOf("input"), ...amountsOf("output")].filter(([, unit]) => unit === "unit");
  const factor = factorOf(object, Math.max(0, ...inUnit.map(([amount]) => amount)));
  const read = (kind: Kind): number | undefined =>
    amountsOf(kind)
      .map(([amount, unit]) => Number((amount * (unit === "unit" ? factor : unit)).toPrecision(10)))
      .find((amount) => amount < tooHigh);
  const [input, output] = [read("input"), read("output")];
  const [cachedInput, cacheWrite] = [read("cachedInput"), read("cacheWrite")];
  const currency = (stringField(object, "currency") ?? usualCurrency).trim().toUpperCase();
  // A count of points or credits isn't an amount of money.
  if (input === undefined || output === undefined || !/^[A-Z]{3}$/.test(currency)) return undefined;
  return {
    ...{ input, output },
    // Zero means that the service has no cache, or no special price for it.
    ...(cachedInput === undefined || cachedInput === 0 ? {} : { cachedInput }),
    ...(cacheWrite === undefined || cacheWrite === 0 ? {} : { cacheWrite }),
    currency,
  };
}

/** From the unit of an object of prices to a million tokens. */
function factorOf(object: JsonRecord, highest: number): number {
  const unit = (stringField(object, "unit") ?? "").toLowerCase();
  if (/million|1m|mtok/.test(unit)) return 1;
  if (/thousand|1k/.test(unit)) return 1_000;
  return highest < betweenUnits ? 1_000_000 : 1;
}

/** An amount as a number, as text, or in an object. Minus one is the price of a router that depends on its choice. */
function amountIn(value: unknown): number | undefined {
  if (isRecord(value)) return amountIn(value["usd"]) ?? amountIn(value["price_per_m_decimal"]);
  const amount =
    typeof value === "string" && /^\s*\$?\d/.test(value) ? Number(value.replace("$", "")) : value;
  return typeof amount === "number" && Number.isFinite(amount) && amount >= 0 ? amount : undefined;
}

function fieldOf(value: unknown, name: string): unknown {
  return isRecord(value) ? value[name] : undefined;
}
