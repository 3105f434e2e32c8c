import { t } from "@vscode/l10n";
import { costOrder, formatCost } from "../conversation/prices.ts";
import type { Server, ServerFact } from "./server.ts";

/** What a server costs per hour while it runs. */
export interface ServerPrice {
  readonly amount: number;
  /** ISO 4217. Undefined if the record doesn't name it. */
  readonly currency: string | undefined;
  /** Whether the amount is for each of its GPUs. */
  readonly perGpu: boolean;
  /** Whether it was calculated from the price of another period. */
  readonly isEstimate: boolean;
}

/** How the fact is written, in words that a model understands: `about 2.5 USD per GPU and hour`. */
export const priceForm = /^(about )?(\d{1,15}(?:\.\d{1,18})?)( [A-Z]{3})? per (GPU and )?hour$/;

/** The price as the value of a fact. */
export function writePrice({ amount, currency, perGpu, isEstimate }: ServerPrice): string {
  const money = [String(Number(amount.toFixed(8))), currency].filter(Boolean).join(" ");
  return `${isEstimate ? "about " : ""}${money} per ${perGpu ? "GPU and hour" : "hour"}`;
}

/** The price in a fact; undefined if it isn't known. */
export function parsePrice(fact: ServerFact | undefined): ServerPrice | undefined {
  const match = priceForm.exec(fact?.value ?? "");
  if (match === null) return undefined;
  const [, about, amount, currency, perGpu] = match;
  return {
    amount: Number(amount),
    currency: currency?.trim(),
    perGpu: perGpu !== undefined,
    isEstimate: about !== undefined,
  };
}

/** What the whole server costs per hour by this fact; undefined if it isn't known. */
function wholePrice(
  { gpuCount }: Pick<Server, "gpuCount">,
  fact: ServerFact | undefined,
): ServerPrice | undefined {
  const price = parsePrice(fact);
  if (price?.perGpu !== true) return price;
  const count = Number(gpuCount?.value);
  return count > 0 ? { ...price, amount: price.amount * count, perGpu: false } : undefined;
}

/** What a server costs per hour. */
export interface HourlyRate {
  readonly amount: number;
  /** ISO 4217; empty if it isn't known. */
  readonly currency: string;
  /** Whether the amount was calculated from something else, such as the price of a month. */
  readonly isEstimate: boolean;
}

/** What a server costs per hour in its present state; undefined if it isn't known. */
export function hourlyRate(server: Server): HourlyRate | undefined {
  const price = wholePrice(server, server.status === "running" ? server.price : server.costNow);
  if (price === undefined) return undefined;
  const { amount, currency = "", isEstimate } = price;
  return { amount, currency, isEstimate };
}

/** The server with the price that lists show: if it is stopped, what it still costs, if it is known to cost something. */
export function withShownPrice(server: Server): Server {
  if (server.status !== "stopped") return server;
  const price = (hourlyRate(server)?.amount ?? 0) > 0 ? server.costNow : undefined;
  return { ...server, price };
}

/** `$24.00/h`, `≈ $2.00/h` or `$2.49/h per GPU`; empty if the price isn't known. */
export function formatPrice(server: Pick<Server, "price" | "gpuCount">): string {
  const price = wholePrice(server, server.price) ?? parsePrice(server.price);
  if (price === undefined) return "";
  const rate = formatRate(price);
  return price.perGpu ? t("{0} per GPU", rate) : rate;
}

function formatRate({
  amount,
  currency = "",
  isEstimate = false,
}: Partial<ServerPrice> & { amount: number }): string {
  const rate = t("{0}/h", formatCost({ amount, currency }, undefined));
  return isEstimate ? `≈ ${rate}` : rate;
}

/** The price of the whole server, if it is known: as a number for filters, and as what servers are sorted by. */
export function priceOrder(server: Server): { readonly amount: string; readonly order: string } {
  const price = wholePrice(server, server.price) ?? parsePrice(server.price);
  if (price === undefined) return { amount: "", order: "" };
  const { amount, currency = "" } = price;
  return { amount: String(amount), order: costOrder({ amount, currency }) };
}

/** What several servers cost per hour. */
interface RunningCosts {
  /** One rate for each currency. */
  readonly rates: readonly HourlyRate[];
  readonly running: number;
  /** Running servers without a known price. */
  readonly unpriced: number;
  /** Servers that don't run but may still be charged for, because they start, stop, have failed, or were stopped. */
  readonly unclear: number;
}

/**
 * Adds up what servers cost in their present states. Amounts in different currencies are never added, and what isn't
 * known is counted instead of being left out.
 */
export function sumRunningCosts(servers: readonly Server[]): RunningCosts {
  const sums = new Map<string, HourlyRate>();
  let [running, unpriced, unclear] = [0, 0, 0];
  for (const server of servers) {
    const rate = hourlyRate(server);
    const isRunning = server.status === "running";
    if (isRunning) running++;
    if (rate === undefined && isRunning) unpriced++;
    else if (rate === undefined) unclear++;
    else if (rate.amount > 0) {
      const { amount = 0, isEstimate = false } = sums.get(rate.currency) ?? {};
      const isAbout = isEstimate || rate.isEstimate;
      sums.set(rate.currency, { ...rate, amount: amount + rate.amount, isEstimate: isAbout });
    }
  }
  return { rates: [...sums.values()], running, unpriced, unclear };
}

/** The sum with what it doesn't know: `$61.40/h + 2 unclear`. Empty if no price is known. */
export function runningCostsText(servers: readonly Server[]): string {
  const { rates, unpriced, unclear } = sumRunningCosts(servers);
  if (rates.length === 0) return "";
  const sum = rates.map(formatRate).join(" + ");
  const open = unpriced + unclear;
  return open === 0 ? sum : t("{0} + {1} unclear", sum, String(open));
}
