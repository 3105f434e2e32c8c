import { t } from "@vscode/l10n";
import { formatCost } from "../conversation/prices.ts";
import type { Server } from "./server.ts";

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

/** The price of a server; undefined if it isn't known. */
export function priceOfServer({ price }: Server): ServerPrice | undefined {
  const match = priceForm.exec(price?.value ?? "");
  if (match === null) return undefined;
  const [, about, amount, currency, perGpu] = match;
  return {
    amount: Number(amount),
    currency: currency?.trim(),
    perGpu: perGpu !== undefined,
    isEstimate: about !== undefined,
  };
}

/** What the whole server costs per hour; undefined if it isn't known. */
function wholePrice(server: Server): ServerPrice | undefined {
  const price = priceOfServer(server);
  if (price?.perGpu !== true) return price;
  const count = Number(server.gpuCount?.value);
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

/** What a server costs per hour now; undefined if it isn't known. */
export function hourlyRate(server: Server): HourlyRate | undefined {
  const price = server.status === "running" ? wholePrice(server) : undefined;
  if (price === undefined) return undefined;
  const { amount, currency = "", isEstimate } = price;
  return { amount, currency, isEstimate };
}

/** `$24.00/h`, `≈ $2.00/h` or `$2.49/h per GPU`; empty if the price isn't known. */
export function formatPrice(server: Server): string {
  const price = wholePrice(server) ?? priceOfServer(server);
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

/** What servers are sorted by: the price of the whole server, as a number. */
export function priceOrder(server: Server): number | string {
  return (wholePrice(server) ?? priceOfServer(server))?.amount ?? "";
}

/** What several servers cost per hour. */
interface RunningCosts {
  /** One amount for each currency, such as `$61.40/h + €32.00/h`; empty if nothing is known to cost anything. */
  readonly sum: string;
  /** Running servers without a known price. */
  readonly unpriced: number;
  /** Servers that don't run but may still be charged for, because they start, stop, have failed, or were stopped. */
  readonly unclear: number;
}

/**
 * Adds up what the running servers cost. Amounts in different currencies are never added, and what isn't known is
 * counted instead of being left out.
 */
function sumRunningCosts(servers: readonly Server[]): RunningCosts {
  const running = servers.filter(({ status }) => status === "running");
  const prices = running.flatMap((server) => wholePrice(server) ?? []);
  const sums = new Map<string, { amount: number; isEstimate: boolean }>();
  for (const { amount, currency = "", isEstimate } of prices) {
    const sum = sums.get(currency) ?? { amount: 0, isEstimate: false };
    sums.set(currency, { amount: sum.amount + amount, isEstimate: sum.isEstimate || isEstimate });
  }
  const parts = [...sums].map(([currency, sum]) => formatRate({ currency, ...sum }));
  const idle = servers.filter(({ status }) => status !== "running" && status !== "unknown");
  return {
    sum: parts.join(" + "),
    unpriced: running.length - prices.length,
    unclear: idle.filter(({ price }) => price !== undefined).length,
  };
}

/** The sum with what it doesn't know: `$61.40/h + 2 unclear`. Empty if no price is known. */
export function runningCostsText(servers: readonly Server[]): string {
  const { sum, unpriced, unclear } = sumRunningCosts(servers);
  if (sum === "") return "";
  const open = unpriced + unclear;
  return open === 0 ? sum : t("{0} + {1} unclear", sum, String(open));
}
