import { isRecord } from "../../core/kernel/json.ts";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { writePrice } from "../../core/servers/serverPrice.ts";
import type { ServerPrice } from "../../core/servers/serverPrice.ts";

/*
 * Finds what a server costs per hour. A wrong number is worse than none: a number counts only if its name or what stands
 * beside it says that it is money and for which period, and every word around it is known not to change what it means.
 */

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const moneyWords = words(
  "price prices pricing cost costs rate rates dph charge fee tariff tarif preis preise kosten precio costo prix 单价 价格 费用 料金 価格 金額",
);
/** Hours of each period. A month is counted as 730 hours, as clouds do. */
const periods: ReadonlyMap<string, number> = new Map([
  ...each("hour hours hr hrs hourly h pt1h dph stunde perstd stündlich heure hora 小时 时 時間 時", 1),
  ...each("minute minutes permin minutely 分钟", 1 / 60),
  ...each("second seconds sec secondly 秒", 1 / 3_600),
  ...each("day daily p1d tag täglich jour 天 日", 24),
  ...each("month months monthly mo p1m monat monatlich mois mes 月", 730),
]);
/** Words that may stand beside money and a period without changing what they mean. */
const plainWords = words(
  "a per amount value net unit total us instance server vm machine node pod compute running current billing on demand ondemand " +
    "payg rental region regional location cents cent micros nanos excl incl vat tax",
);
const gpuWords = words("gpu card accelerator 卡");
/** What is paid after all discounts comes first, then sums, then the rest; list prices and those with tax come last. */
const paidWords = words("adjusted discounted effective actual");
const lowWords = words("base list original standard regular incl");
/** Words for what is cheaper because it may be ended at any time. */
const spotWords = words("spot preemptible interruptible");
const stoppedWords = words("stopped off shutoff hibernated paused");
const estimateWords = words("estimated approximate approx");
/** Objects about the type of the server instead of the server itself. */
const typeWords = words("type size plan flavor flavour product sku spec preset shape package");
/** Objects about the server itself. In any other, such as `disk` or `support`, nothing is its price. */
const ownWords = words(
  "attributes properties spec specs details info status data metrics utilization virtual resource resources deployment configuration subscription " +
    "contract lease rental order prices",
);
/** What isn't a currency, although it is counted like one. */
const notMoney = /credit|point|token|coin/i;

const maxDepth = 4;
const maxFields = 600;
/** No record states more prices, and each is compared with everything beside it. */
const maxPrices = 60;

function each(names: string, hours: number): (readonly [string, number])[] {
  return names.split(" ").map((name) => [name, hours]);
}

/** The records of a list have the same names. */
const namesRead = new Map<string, readonly string[]>();

/**
 * The words of a field's name, such as `price`, `per` and `hour` of `pricePerHour`. On their own, `min` and `std` may mean
 * the least and the standard.
 */
function wordsOf(name: string): readonly string[] {
  const before = namesRead.get(name);
  if (before !== undefined) return before;
  const found = name
    .slice(0, 80)
    .replaceAll(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/(?:per|pro|[/／])[\s_-]{0,3}(min|std)\b/, "per$1")
    .split(/[^\p{L}\p{N}]+/u)
    .filter(
      (word, place, all) =>
        word !== "" && !(/^(?:pro|par|por|je)$/.test(word) && periods.has(all[place + 1] ?? "")),
    );
  if (namesRead.size > 1_000) namesRead.clear();
  if (name.length <= 80) namesRead.set(name, found);
  return found;
}

/** A price, and how sure it is. */
interface Candidate extends ServerPrice {
  /** Where it was read. */
  readonly source: string;
  /** The lower, the better. */
  readonly rank: number;
}

/** What is known of the objects around a field. */
interface Place {
  readonly path: string;
  /** Whether they are about a price, such as `pricing`, and for which period in hours, such as `hourly`. */
  readonly isMoney: boolean;
  readonly hours: number | undefined;
  readonly currency: string | undefined;
  readonly rank: number;
}

/** What applies to a whole record. */
interface Context {
  readonly places: ReadonlySet<string>;
  readonly isFree: boolean;
  readonly isSpot: boolean;
  /** Whether the record says that it isn't paid on demand. */
  readonly isCommitted: boolean;
  /** How many GPUs the server has, if known. */
  readonly gpus: number | undefined;
  /** Whether the price is wanted that it has while it is stopped. */
  readonly isStopped: boolean;
}

/**
 * The price of a server as its record states it.
 * @param wanted `currency` is the one that stands beside the list.
 */
export function readPrice(
  record: unknown,
  wanted: Pick<Context, "gpus" | "isStopped"> & { readonly currency: string | undefined },
): Candidate | undefined {
  if (!isRecord(record)) return undefined;
  const { currency, ...rest } = wanted;
  const search = new PriceSearch(record, rest);
  search.collect(record, { path: "", isMoney: false, hours: undefined, currency, rank: 0 }, 0);
  const score = ({ isEstimate, rank }: Candidate): number => rank + (isEstimate ? 1_000 : 0);
  const [first, ...others] = search.found.toSorted(
    (left, right) => score(left) - score(right) || Number(left.perGpu) - Number(right.perGpu),
  );
  if (first === undefined) return undefined;
  // Two different prices that are equally good are no price.
  const whole = ({ amount, perGpu }: Candidate): string =>
    `${(perGpu ? amount * (wanted.gpus ?? NaN) : amount).toPrecision(9)} ${wanted.gpus === undefined ? perGpu : ""}`;
  return others.some((other) => score(other) === score(first) && whole(other) !== whole(first))
    ? undefined
    : first;
}

/**
 * The price at a place that the user names, in the unit that they give, such as `US cents per hour` or `CNY/1000 per
 * GPU-hour`: per hour, for the whole server, and in the currency of the value itself unless given. Undefined if the value
 * isn't an amount.
 */
export function readPriceIn(value: unknown, unit = "per hour"): string | undefined {
  const isScalar = typeof value === "number" || typeof value === "string";
  const parsed = isScalar ? parseAmount(value) : undefined;
  if (parsed === undefined) return undefined;
  const all = wordsOf(unit);
  const isCents = all.includes("us") && all.some((word) => word.startsWith("cent"));
  const hours = periodOf(all) ?? parsed.hours ?? 1;
  const divisor = Number(/\/\s?(1\d{1,6})\b/.exec(unit)?.[1] ?? 1);
  return writePrice({
    amount: (parsed.number * factorOf(all)) / divisor / hours,
    currency: isCents ? "USD" : (currencyOfWords(all) ?? parsed.currency),
    perGpu: parsed.perGpu || all.includes("gpu"),
    isEstimate: hours !== 1,
  });
}

/** Everything in a record that may be its price. */
class PriceSearch {
  readonly found: Candidate[] = [];
  readonly #record: JsonRecord;
  readonly #wanted: Pick<Context, "gpus" | "isStopped">;
  #known: Context | undefined;
  #fields = maxFields;
  #prices = maxPrices;

  constructor(record: JsonRecord, wanted: Pick<Context, "gpus" | "isStopped">) {
    this.#record = record;
    this.#wanted = wanted;
  }

  /** Most fields are no price without it. */
  get #context(): Context {
    return (this.#known ??= { ...contextOf(this.#record), ...this.#wanted });
  }

  collect(record: JsonRecord, place: Place, depth: number): void {
    const currency = currencyIn(record) ?? place.currency;
    for (const [name, value] of Object.entries(record)) {
      if (--this.#fields < 0) return;
      const own = wordsOf(name);
      const isOther = !place.isMoney && !this.#wanted.isStopped && !own.some((word) => moneyWords.has(word));
      if (isOther && typeof value !== "object") continue;
      const here = { ...place, path: place.path === "" ? name : `${place.path}.${name}`, currency };
      if (typeof value === "number" || typeof value === "string") this.#add(own, value, record, here);
      else if (
        depth < maxDepth &&
        own.every((word) => this.#isOwn(word) || (!isOther && gpuWords.has(word)))
      ) {
        const inner = enter(here, own);
        if (Array.isArray(value)) this.#collectEntries(value, inner, depth + 1);
        else if (isRecord(value)) {
          const amount = moneyObject(value);
          const unit = { ...here, currency: currencyIn(value) ?? currency };
          if (amount === undefined || !this.#add(own, amount, { ...record, ...value }, unit))
            this.collect(value, inner, depth + 1);
        }
      }
    }
  }

  #isOwn(word: string): boolean {
    return (
      plain.has(word) ||
      typeWords.has(word) ||
      ownWords.has(word) ||
      (spotWords.has(word) && this.#context.isSpot)
    );
  }

  /** Of prices by region, only the one of the server's own region counts. */
  #collectEntries(entries: readonly unknown[], place: Place, depth: number): void {
    if (!place.isMoney) return;
    for (const [index, entry] of entries.slice(0, 100).entries()) {
      if (!isRecord(entry)) continue;
      const names = ["location", "region", "zone", "id", "name"].map((name) => entry[name]).filter(isText);
      const isHere = names.some((name) => this.#context.places.has(name.toLowerCase()));
      const isOnly = entries.length === 1 && names.length === 0;
      if (!isHere && !isOnly) continue;
      this.collect(entry, { ...place, path: `${place.path}[${index}]`, rank: place.rank - 5 }, depth);
    }
  }

  /** Returns whether the field is a price. It isn't if anything about it is in doubt. */
  #add(all: readonly string[], value: number | string, record: JsonRecord, place: Place): boolean {
    const { gpus, isFree, isSpot, isCommitted, isStopped } = this.#context;
    const own = isStopped ? stoppedName(all, record) : all;
    if (!place.isMoney && !own.some((word) => moneyWords.has(word))) return false;
    const isKnown = own.every((word) => isKnownWord(word) || (isSpot && spotWords.has(word)));
    if (!(isKnown || isTencentPrice(own)) || isSumSoFar(own) || isTax(own)) return false;
    // What others pay.
    if ((isSpot || isCommitted) && /demand|payg/i.test(`${place.path} ${own.join(" ")}`)) return false;
    const isSpotPrice = (its: readonly string[]): boolean =>
      isSpotName(its) && its.some((word) => moneyWords.has(word));
    if (isSpot && !isSpotName(own) && Object.keys(record).some((name) => isSpotPrice(wordsOf(name))))
      return false;
    const parsed = parseAmount(value);
    if (parsed === undefined || --this.#prices < 0) return false;
    const unit = unitBeside(record, own, place.isMoney);
    if (unit === "unknown" || isScaled(record, own, place.isMoney)) return false;
    const hours =
      periodOf(own) ?? parsed.hours ?? periodOf(unit) ?? (unit.length === 0 ? place.hours : undefined);
    if (hours === undefined || isPart(own, record)) return false;
    const isPerGpu = parsed.perGpu || isForOneGpu(own, unit, record, place.isMoney);
    // Whether `gpu_cost_per_hour` is for one GPU or for all isn't known.
    if (!isPerGpu && gpus !== 1 && own.some((word) => gpuWords.has(word))) return false;
    const amount = Number(((parsed.number * factorOf([...own, ...unit])) / hours).toPrecision(12));
    const currency = currencyOfWords([...own, ...unit]) ?? parsed.currency ?? place.currency;
    const isPossible =
      amount === 0 ? isFree : isPlausible(amount, currency, parsed.isYen, isPerGpu ? 1 : gpus);
    if (!isPossible || notMoney.test(currency ?? "")) return false;
    // Hyperbolic's `{"amount": 99, "period": "hourly"}` is in cents.
    if (own.at(-1) === "amount" && currency === undefined && Number.isInteger(value) && parsed.number >= 10)
      return false;
    // In German and French, a dot may separate thousands, which only longer periods cost.
    if (
      hours > 1 &&
      typeof value === "string" &&
      /(?:^|\D)[1-9]\d{0,2}\.\d{3}(?!\d)/.test(value) &&
      !value.includes(",")
    )
      return false;
    const isEstimate = hours !== 1 || own.some((word) => estimateWords.has(word));
    this.found.push({
      ...{ source: place.path, amount, currency, perGpu: isPerGpu, isEstimate },
      rank: place.rank + rankOf(own),
    });
    return true;
  }
}

/** The place inside an object with this name. */
function enter(place: Place, own: readonly string[]): Place {
  const isType = own.some((word) => typeWords.has(word));
  // In `last_24_hours`, a cost isn't one per hour.
  const isKnown = own.every((word) => plain.has(word) || spotWords.has(word));
  return {
    ...place,
    isMoney: isKnown && (place.isMoney || own.some((word) => moneyWords.has(word))),
    hours: isKnown ? (periodOf(own) ?? place.hours) : undefined,
    rank: place.rank + 1 + (isType ? 10 : 0) - (isSpotName(own) ? 5 : 0),
  };
}

function isKnownWord(word: string): boolean {
  return plain.has(word) || gpuWords.has(word);
}

/** `current_month_cost` isn't what a month costs. */
function isSumSoFar(own: readonly string[]): boolean {
  const has = (...names: readonly string[]): boolean => names.some((name) => own.includes(name));
  return has("current", "total") && has("day", "month");
}

/** `vat_rate` and `tax` aren't prices, but `price_excl_vat` is one. */
function isTax(own: readonly string[]): boolean {
  return own.some((word) => /^(?:vat|tax)$/.test(word)) && !own.some((word) => /^(?:excl|incl)$/.test(word));
}

function isSpotName(own: readonly string[]): boolean {
  return own.some((word) => spotWords.has(word));
}

/** The name without the words that say that it is about stopped servers. None of it remains if there are none. */
function stoppedName(own: readonly string[], record: JsonRecord): readonly string[] {
  // Vast's price of the disk alone.
  if (own.join(" ") === "disk hour" && "totalHour" in record) return ["price", "hour"];
  const rest = own.filter((word) => !stoppedWords.has(word));
  return rest.length === own.length ? [] : rest;
}

/** What is paid after the discount, beside a `UnitPrice` without it. */
function isTencentPrice(own: readonly string[]): boolean {
  return own.join(" ") === "unit price discount";
}

function rankOf(own: readonly string[]): number {
  if (own.some((word) => paidWords.has(word)) || isSpotName(own) || isTencentPrice(own)) return 0;
  if (own.includes("total")) return 1;
  return own.some((word) => lowWords.has(word)) ? 4 : 2;
}

function periodOf(all: readonly string[]): number | undefined {
  const found = new Set(all.flatMap((word) => periods.get(word) ?? []));
  return found.size === 1 ? [...found][0] : undefined;
}

/** The fields beside a price, without long texts, which don't say what it means. */
function fieldsBeside(record: JsonRecord): readonly (readonly [string, unknown])[] {
  return Object.entries(record)
    .slice(0, maxFields)
    .filter(([, value]) => typeof value !== "string" || value.length <= 80);
}

/** The words of the units and the period that stand beside a price: `price_unit`, `ChargeUnit`, `period`. */
function unitBeside(
  record: JsonRecord,
  own: readonly string[],
  isMoney: boolean,
): readonly string[] | "unknown" {
  const [stem = ""] = own;
  const found: string[] = [];
  for (const [name, value] of fieldsBeside(record)) {
    const its = wordsOf(name);
    const last = its.at(-1) ?? "";
    const isUnit =
      /^(?:unit|basis|period|interval|cycle)$/.test(last) ||
      (last === "type" && its[0] === stem) ||
      (last === "duration" && periodOf(own) === undefined);
    // What has only one word may be about something else in the record, unless the price needs it.
    const isAlone =
      (its.length === 1 || (last === "unit" && /^(?:interval|period)$/.test(its[0] ?? ""))) &&
      (isMoney || its[0] === "unit" || periodOf(own) === undefined);
    const belongs = isAlone || [...own, "charge", "billing"].includes(its[0] ?? "");
    if (!isUnit || !belongs || typeof value !== "string") continue;
    const unit = wordsOf(`/${value}`).filter((word) => word !== "1");
    if (!unit.every(isKnownWord)) return "unknown";
    found.push(...unit);
  }
  return found;
}

/** Whether the name, the unit, or something beside the price, such as `price_type: "per_gpu"`, says that it is for one GPU. */
function isForOneGpu(
  own: readonly string[],
  unit: readonly string[],
  record: JsonRecord,
  isMoney: boolean,
): boolean {
  const one = /\bper (?:gpu|card|accelerator)\b|\b(?:gpu|card|accelerator) (?:hour|hourly|hr|h)\b/;
  if (unit.some((word) => gpuWords.has(word)) || one.test(own.join(" "))) return true;
  return fieldsBeside(record).some(([name, value]) => {
    const its = wordsOf(name);
    if (value === true) return one.test(its.join(" "));
    const isAbout = isMoney || its.some((word) => moneyWords.has(word) || /^(?:charg|bill|pric)/.test(word));
    if (typeof value !== "string" || !isAbout || !its.every((word) => !gpuWords.has(word))) return false;
    const said = wordsOf(value);
    const isBasis = said.includes("per") || /^(?:per|scope|basis|unit)$/.test(its.at(-1) ?? "");
    return isBasis && said.every(isKnownWord) && said.some((word) => gpuWords.has(word));
  });
}

const minor = /^(?:cents?|minor|micros?|millis?|nanos?|pence|fen|分|厘)$/;

/**
 * Whether something beside the number changes what it means: a divisor as in `{"amount": 199, "exponent": 2}`, a unit as in
 * `currency: "USD cents"`, or a number of periods.
 */
function isScaled(record: JsonRecord, own: readonly string[], isMoney: boolean): boolean {
  const hasCurrency = currencyIn(record) !== undefined;
  return fieldsBeside(record).some(([name, value]) => {
    const its = wordsOf(name);
    const last = its.at(-1) ?? "";
    if (value === true) return its.some((word) => minor.test(word));
    if (typeof value === "string") {
      const isAbout = its.some((word) => moneyWords.has(word) || word.includes("currency"));
      return isAbout && !/^(?:unit|basis)$/.test(last) && wordsOf(value).some((word) => minor.test(word));
    }
    if (typeof value !== "number") return false;
    if (/\b(?:period|interval|cycle|term) (?:count|quantity|length|value)$/.test(its.join(" ")))
      return value !== 1;
    if (/^(?:period|interval|cycle|duration)$/.test(last) && periodOf(own) === undefined) return value !== 1;
    const belongs = isMoney || hasCurrency || [own[0], "currency"].includes(its[0]);
    return belongs && /^(?:exponent|decimals|scale|precision|divisor|multiplier|factor)$/.test(last);
  });
}

/** Whether the price is for one of several units or nodes of which the record consists. */
function isPart(own: readonly string[], record: JsonRecord): boolean {
  const part = own.includes("unit")
    ? /^(?:quantity|qty)$/
    : /\bper (node|instance|server|vm|machine|pod)\b/.exec(own.join(" "))?.[1];
  if (part === undefined) return false;
  return fieldsBeside(record).some(
    ([name, value]) =>
      typeof value === "number" &&
      value > 1 &&
      wordsOf(name).some((word) =>
        typeof part === "string" ? word.replace(/s$/, "") === part : part.test(word),
      ),
  );
}

const factors: ReadonlyMap<string, number> = new Map([
  ["cents", 0.01],
  ["cent", 0.01],
  ["micros", 1e-6],
  ["nanos", 1e-9],
]);

function factorOf(own: readonly string[]): number {
  return own.map((word) => factors.get(word)).find((factor) => factor !== undefined) ?? 1;
}

/** `{"units": "3", "nanos": 670000000}` or `{"amount": 3.67, "currency": "USD"}`. */
function moneyObject(value: JsonRecord): string | undefined {
  const { units, nanos, amount } = value;
  if (units !== undefined || nanos !== undefined) {
    const [whole, part] = [Number(units ?? 0), Number(nanos ?? 0) / 1e9];
    return Number.isFinite(whole + part) ? String(whole + part) : undefined;
  }
  const single = amount ?? value["value"];
  const isMoney =
    currencyIn(value) !== undefined && (typeof single === "number" || typeof single === "string");
  return isMoney ? String(single) : undefined;
}

interface ParsedAmount {
  readonly number: number;
  readonly currency?: string | undefined;
  readonly hours?: number | undefined;
  readonly perGpu: boolean;
  /** Whether the sign is that of the yen and the yuan. */
  readonly isYen: boolean;
}

/** Signs of currencies, those that contain others first. The sign of the yen is that of the yuan, too. */
const signs =
  "€ EUR,£ GBP,₹ INR,₩ KRW,元 CNY,円 JPY,US$ USD,AU$ AUD,A$ AUD,CA$ CAD,C$ CAD,HK$ HKD,NZ$ NZD,NT$ TWD,S$ SGD,R$ BRL,$ USD,¥,￥"
    .split(",")
    .map((entry) => entry.split(" "));

/** One number with what stands around it: a sign, and a period after a slash. */
function parseAmount(value: number | string): ParsedAmount | undefined {
  if (typeof value === "number")
    return Number.isFinite(value) && value >= 0 ? { number: value, perGpu: false, isYen: false } : undefined;
  if (value.length > 60) return undefined;
  const match = /^([^\d-]{0,40})(\d[\d.,' \u00a0]{0,30})(\D{0,40})$/.exec(value.trim());
  if (match === null) return undefined;
  const [, before = "", digits = "", after = ""] = match;
  const number = parseDecimal(digits.trim());
  if (number === undefined) return undefined;
  const around = `${before} ${after}`;
  const sign = signs.find(([each = ""]) => around.includes(each));
  const named = wordsOf(around.replace(sign?.[0] ?? "", " "));
  // A limit, a discount, or an amount of something else.
  if (!named.every(isKnownWord) || /[^\p{L}\p{Sc}\s./／()[\]:,-]/u.test(around)) return undefined;
  return {
    number,
    currency: currencyOfWords(named) ?? sign?.[1],
    hours: periodOf(named),
    perGpu: named.some((word) => gpuWords.has(word)),
    isYen: sign !== undefined && sign[1] === undefined,
  };
}

/** `1,234.70`, `1.234,70`, `2'190` and `1234.7`. */
function parseDecimal(text: string): number | undefined {
  const plain = text.replaceAll(/[' \u00a0]/g, "");
  const [comma, dot] = [plain.lastIndexOf(","), plain.lastIndexOf(".")];
  // A single separator with three digits after it may be either.
  if (comma !== -1 && dot === -1 && /^\d{1,3}(?:,\d{3})+$/.test(plain)) return undefined;
  const decimal = comma > dot ? plain.replaceAll(".", "").replace(",", ".") : plain.replaceAll(",", "");
  const number = Number(decimal);
  return decimal !== "" && Number.isFinite(number) ? number : undefined;
}

/** How much of each currency is about a dollar, to notice cents and thousandths that no name states. */
const known: ReadonlyMap<string, number> = new Map(
  (
    "USD1 EUR1 GBP1 CHF1 CAD1 AUD2 NZD2 SGD1 CNY8 RMB8 HKD8 TWD35 JPY160 KRW1500 INR90 SEK12 NOK12 DKK8 PLN4 CZK25 HUF400 " +
    "BRL6 MXN20 TRY45 RUB100 UAH45 THB40 VND27000 IDR17000 MYR5 PHP60 ZAR20 AED4 SAR4 ILS4 KZT550"
  )
    .split(" ")
    .map((entry) => [entry.slice(0, 3), Number(entry.slice(3))]),
);
/** Every word that doesn't change what a price means. */
const plain: ReadonlySet<string> = new Set([
  ...[moneyWords, periods.keys(), plainWords, paidWords, lowWords, estimateWords].flatMap((each) => [
    ...each,
  ]),
  ...[...known.keys()].map((code) => code.toLowerCase()),
]);
/** Dollars per hour. No GPU costs more, and no server with an unknown number of them. */
const mostPerGpu = 30;
const mostPerServer = 120;

function isPlausible(
  amount: number,
  currency: string | undefined,
  isYen: boolean,
  gpus: number | undefined,
): boolean {
  const scale = currency === undefined ? (isYen ? 160 : 1) : (known.get(currency) ?? 1);
  return (
    amount / scale <= (gpus === undefined ? mostPerServer : mostPerGpu * gpus) && amount / scale >= 0.001
  );
}

function currencyIn(record: JsonRecord): string | undefined {
  for (const [name, value] of fieldsBeside(record)) {
    if (typeof value !== "string" || !wordsOf(name).some((word) => word.includes("currency"))) continue;
    if (/^[A-Za-z]{3}$/.test(value) || notMoney.test(value)) return value.toUpperCase();
  }
  return undefined;
}

function currencyOfWords(own: readonly string[]): string | undefined {
  return own.map((word) => word.toUpperCase()).find((word) => known.has(word));
}

/** What the record says about where the server is and how it is billed. */
function contextOf(record: JsonRecord): Omit<Context, "gpus" | "isStopped"> {
  const places = new Set<string>();
  let [isFree, isSpot, isCommitted] = [false, false, false];
  const visit = (value: unknown, name: string, isPlace: boolean, depth: number): void => {
    if (depth > 3) return;
    if (/free/i.test(name) && value === true) isFree = true;
    if (/^(?:is_?|use_?)?(?:spot|spot_?instance|interruptible|preemptible)$/i.test(name))
      isSpot ||= /^(?:true|1|yes)$/i.test(String(isRecord(value) ? value["enabled"] : value));
    if (isText(value)) {
      if (/^(?:spot|preemptible|interruptible)$/i.test(value) && !/name|label|title/i.test(name))
        isSpot = true;
      if (isPlace) places.add(value.toLowerCase());
      if (/plan|price|billing|tier/i.test(name) && /^free(?:.tier|.plan)?$/i.test(value)) isFree = true;
      if (
        /lifecycle|market|provisioning|purchas|(?:billing|pric|pay|charge|capacity)\w{0,10}(?:model|type|mode)/i.test(
          name,
        )
      ) {
        isSpot ||= /\b(?:spot|preemptible|interruptible)\b/i.test(value);
        isCommitted ||= /\b(?:reserved|committed|subscription|prepaid)\b/i.test(value);
      }
    }
    if (!isRecord(value)) return;
    for (const [inner, member] of Object.entries(value).slice(0, 100))
      visit(member, inner, isPlace || /region|location|zone|datacenter/i.test(inner), depth + 1);
  };
  visit(record, "", false, 0);
  return { places, isFree, isSpot, isCommitted };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "" && value.length <= 100;
}
