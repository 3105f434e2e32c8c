import { isHourlyAmount, parseCurrency } from "../../account/serverPricing.ts";
import type { RestingRule, RestingState, ServerPricing, StatedPrice } from "../../account/serverPricing.ts";
import type { Server, ServerFact, ServerStatus } from "../server.ts";
import { factText } from "../serverLabels.ts";
import { parsePrice, writePrice } from "../serverPrice.ts";

/** Where a fact comes from that the user has stated. */
const statedSource = "serverPrices";

/** The rule for servers in this state. What a server costs that stops is unknown: it may already be stopped. */
const ruleOf: Readonly<Partial<Record<ServerStatus, RestingState>>> = {
  stopped: "stopped",
  starting: "starting",
  error: "failed",
};

/**
 * Servers with the prices that the user has stated for their profile. Those that haven't changed are the same objects as
 * before, so that only the rows of the others are drawn again.
 */
export class PricedServers {
  #pricing: ServerPricing | undefined;
  #known = new WeakMap<Server, Server>();

  apply(servers: readonly Server[], pricing: ServerPricing | undefined): readonly Server[] {
    if (JSON.stringify(pricing) !== JSON.stringify(this.#pricing)) this.#known = new WeakMap();
    this.#pricing = pricing;
    if (pricing === undefined) return servers;
    return servers.map((server) => {
      const priced = this.#known.get(server) ?? applyPricing(server, pricing);
      this.#known.set(server, priced);
      return priced;
    });
  }
}

function applyPricing(server: Server, pricing: ServerPricing): Server {
  const { currency } = pricing;
  const stated = statedPrice(server, pricing);
  const price = stated === undefined ? withCurrency(server.price, currency) : statedFact(stated);
  const state = ruleOf[server.status];
  const rule = state === undefined ? undefined : pricing[state];
  // What the record itself states about a stopped server comes first.
  const costNow = withCurrency(server.costNow, currency) ?? ruleFact(rule, price);
  return { ...server, price, costNow };
}

/** The price that the user has stated for this server: the one for its name, its type or its GPU. */
export function statedPrice(server: Server, { prices = {} }: ServerPricing): StatedPrice | undefined {
  const { name, type, gpuModel, gpu } = server;
  const table = new Map(Object.entries(prices).map(([key, price]) => [plainKey(key), price]));
  const keys = [name, type, gpuModel, gpu].map((fact) => plainKey(factText(fact)));
  const key = keys.find((text) => text !== "" && table.has(text));
  return key === undefined ? undefined : table.get(key);
}

/** Without what makes no difference: `H100` stands for `NVIDIA H100`, too. */
function plainKey(text: string): string {
  return text
    .trim()
    .toLowerCase()
    .replace(/^(?:nvidia|amd|intel) /, "");
}

function statedFact({ amount, currency, per }: StatedPrice): ServerFact {
  const value = writePrice({ amount, currency, perGpu: per === "gpu", isEstimate: false });
  return { value, source: statedSource };
}

function ruleFact(rule: RestingRule | undefined, price: ServerFact | undefined): ServerFact | undefined {
  if (rule === undefined) return undefined;
  if (rule === "full") return price;
  const nothing = { amount: 0, currency: "", per: "server" } as const;
  return statedFact(rule === "nothing" ? nothing : rule);
}

/** The price in this currency, if its record doesn't name one. */
function withCurrency(fact: ServerFact | undefined, currency: string | undefined): ServerFact | undefined {
  const price = parsePrice(fact);
  if (fact === undefined || price === undefined || price.currency !== undefined || currency === undefined)
    return fact;
  return { ...fact, value: writePrice({ ...price, currency }) };
}

const signs: Readonly<Record<string, string>> = { $: "USD", "€": "EUR", "£": "GBP", "₹": "INR", "₩": "KRW" };

/**
 * Reads what a user types: `2.49 USD`, `$2.49` or `2,49 €`. A number alone is in the usual currency. Undefined if it isn't
 * an amount, or may be in several currencies, such as those of the sign ¥.
 */
export function readAmount(
  text: string,
  usual: string | undefined,
): Pick<StatedPrice, "amount" | "currency"> | undefined {
  const match = /^([^\d\s]{0,3})\s*(\d{1,7}(?:[.,]\d{1,6})?)\s*([^\d\s]{0,3})$/u.exec(text.trim());
  if (match === null) return undefined;
  const [, before = "", number = "", after = ""] = match;
  // A single separator with three digits after it may divide thousands.
  if ((before !== "" && after !== "") || /,\d{3}$/.test(number)) return undefined;
  const unit = before + after;
  const currency = unit === "" ? usual : (signs[unit] ?? parseCurrency(unit));
  const amount = Number(number.replace(",", "."));
  return currency === undefined || !isHourlyAmount(amount) ? undefined : { amount, currency };
}
