import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { isRecord, parseJson } from "../../kernel/json.ts";

/** A MIG instance: a part of a GPU. Its utilization isn't reported by any tool. */
export interface GpuInstance {
  /** The number of the MIG device on its GPU. */
  readonly device: number;
  /** Such as “3g.40gb”. */
  readonly profile: string | undefined;
  readonly memoryUsedMiB: number | undefined;
  readonly memoryTotalMiB: number | undefined;
}

/** What a GPU reports at one moment. What it doesn't report is undefined, never 0. */
export interface GpuSample {
  readonly index: number;
  readonly name: string | undefined;
  readonly utilizationPercent: number | undefined;
  readonly memoryUsedMiB: number | undefined;
  readonly memoryTotalMiB: number | undefined;
  readonly temperatureC: number | undefined;
  readonly powerW: number | undefined;
  /** Whether the memory is that of the machine, which its processors use, too. */
  readonly isMemoryShared?: boolean;
  /** The tool that reports it, if the machine has several. */
  readonly tool?: string;
  /** Whether the driver lists it but can't reach it. */
  readonly isLost?: boolean;
  /** Only for a GPU that is split into MIG instances. */
  readonly instances?: readonly GpuInstance[];
}

/**
 * The fields of a row that `readNvidiaRow` reads. Every driver knows them: one unknown field makes the whole query
 * fail. The name is the last, as it may contain commas.
 */
export const nvidiaQuery = "index,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw,name";

/** Maximum number of GPUs of a server. */
export const mostGpus = 1_024;
/** Maximum number of instances of a GPU, and of GPUs with instances. */
const mostInstances = 64;
/** No GPU draws more watts, or is hotter and still reports it. */
const mostWatts = 5_000;
const mostDegrees = 150;

/** The sample without what can't be true, such as 4,294,967 W, or more memory in use than there is. */
export function plausibleSample(sample: GpuSample): GpuSample {
  const { memoryUsedMiB: used, memoryTotalMiB: total, temperatureC = 0, powerW = 0 } = sample;
  const isMemoryWrong = total === 0 || (used ?? 0) > (total ?? Infinity);
  return {
    ...sample,
    ...(isMemoryWrong ? { memoryUsedMiB: undefined, memoryTotalMiB: undefined } : {}),
    ...(temperatureC > mostDegrees ? { temperatureC: undefined } : {}),
    ...(powerW > mostWatts ? { powerW: undefined } : {}),
  };
}

/** A row with points as decimal marks. Commas followed by blanks separate its cells, so one between digits doesn't. */
export function withDecimalPoints(row: string): string {
  return /^[^,]{0,100}, /.test(row) ? row.replace(/(?<=, \d{1,9}),(?=\d)/g, ".") : row;
}

/**
 * Undefined for anything but a row of values. A value that isn't a number is unknown and doesn't invalidate the row.
 */
export function readNvidiaRow(text: string): GpuSample | undefined {
  const line = withDecimalPoints(text);
  const cells: string[] = [];
  let from = 0;
  while (cells.length < 6) {
    const comma = line.indexOf(",", from);
    if (comma === -1) return undefined;
    cells.push(
      line
        .slice(from, comma)
        .trim()
        .replace(/ (?:%|MiB|W)$/, ""),
    );
    from = comma + 1;
  }
  const [index = "", utilization, used, total, temperature, power] = cells;
  if (!/^\d{1,4}$/.test(index)) return undefined;
  return plausibleSample({
    index: Number(index),
    name: gpuName(line.slice(from)),
    utilizationPercent: amount(utilization, 100),
    memoryUsedMiB: amount(used),
    memoryTotalMiB: amount(total),
    temperatureC: amount(temperature),
    powerW: amount(power),
    ...(/\[GPU (?:is lost|requires reset)\]/i.test(line) ? { isLost: true } : {}),
  });
}

/** The profiles of MIG devices as `nvidia-smi -L` lists them, and their memory as its table shows it. */
export class MigReader {
  readonly #profiles = new Map<string, string>();
  #instances = new Map<number, GpuInstance[]>();
  #gpu = -1;

  /** Whether the line belongs to the list or the table, so that it needs no other reader. */
  read(line: string): boolean {
    const gpu = /^GPU (\d{1,3}): /.exec(line)?.[1];
    if (gpu !== undefined) {
      this.#gpu = Number(gpu);
      return true;
    }
    const listed = /^MIG ([\w.+]{1,40}) {1,40}Device {1,10}(\d{1,3}): /.exec(line);
    if (listed !== null) {
      if (this.#profiles.size < 1_000) this.#profiles.set(`${this.#gpu} ${listed[2]}`, listed[1] ?? "");
      return true;
    }
    const row =
      /^\| {1,10}(\d{1,3}) {1,10}\d{1,3} {1,10}\d{1,3} {1,10}(\d{1,3}) {1,10}\|(?: {0,40}(\d{1,9}) ?MiB ?\/ {0,20}(\d{1,9}) ?MiB)?/.exec(
        line,
      );
    if (row === null) return /^[|+]/.test(line);
    const [, owner, device, used, total] = row;
    const instances = this.#instances.get(Number(owner)) ?? [];
    if (instances.length >= mostInstances || this.#instances.size > mostInstances) return true;
    instances.push({
      device: Number(device),
      profile: this.#profiles.get(`${owner} ${device}`),
      memoryUsedMiB: amount(used),
      memoryTotalMiB: amount(total),
    });
    this.#instances.set(Number(owner), instances);
    return true;
  }

  /** Adds the instances to their GPUs, and begins with the next table. */
  take(samples: readonly GpuSample[]): GpuSample[] {
    const all = this.#instances;
    this.#instances = new Map();
    return samples.map((sample) => {
      const instances = all.get(sample.index);
      return instances === undefined ? sample : { ...sample, instances };
    });
  }
}

/**
 * What `amd-smi metric --json` or `rocm-smi --json` prints, with warnings before or after it. Names of keys and shapes
 * differ between versions.
 *
 * @param names By index, from `amdNames`.
 */
export function readAmdValues(text: string, names: ReadonlyMap<number, string>): readonly GpuSample[] {
  for (const json of jsonWithin(text)) {
    const samples =
      isRecord(json) && !Array.isArray(json["gpu_data"])
        ? Object.entries(json).flatMap(([key, card]) => {
            const index = /^card(\d{1,3})$/.exec(key)?.[1];
            return index === undefined || !isRecord(card) ? [] : [rocmSample(Number(index), card)];
          })
        : amdItems(json).map(([index, item]) => amdSample(index, item, names.get(index)));
    if (samples.length > 0) return samples.sort((one, other) => one.index - other.index).slice(0, mostGpus);
  }
  return [];
}

/** The names that `amd-smi static --asic --json` prints, by index. */
export function amdNames(text: string): ReadonlyMap<number, string> {
  for (const json of jsonWithin(text)) {
    const items = amdItems(json);
    if (items.length === 0) continue;
    return new Map(
      items.flatMap(([index, { asic }]) => {
        const name = isRecord(asic) ? nameIn(asic["market_name"]) : undefined;
        return name === undefined ? [] : [[index, name] as const];
      }),
    );
  }
  return new Map();
}

/** Warnings that look like the beginning of JSON, at most: each may be followed to the end of the text. */
const mostBeginnings = 20;

/** The lists and records of JSON within other text, such as warnings that are in brackets themselves. */
function* jsonWithin(text: string): Generator<unknown> {
  const beginning = /[[{](?=\s{0,100}["[{\]}])/g;
  for (let tries = 0; tries < mostBeginnings; tries++) {
    const begin = beginning.exec(text)?.index;
    if (begin === undefined) return;
    const end = endOfJson(text, begin);
    const json = end === undefined ? undefined : parseJson(text.slice(begin, end));
    if (json === undefined) continue;
    yield json;
    beginning.lastIndex = end ?? 0;
  }
}

/** Where the list or record that begins at the index ends; undefined if it doesn't, or contains what JSON can't. */
function endOfJson(text: string, begin: number): number | undefined {
  const token = /"[^"\\\n]*(?:\\.[^"\\\n]*)*"|["[\]{}]/g;
  token.lastIndex = begin;
  let depth = 0;
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    const [piece] = found;
    if (piece === "[" || piece === "{") depth++;
    else if (piece === '"') return undefined;
    else if (!piece.startsWith('"') && --depth === 0) return token.lastIndex;
  }
  return undefined;
}

/** An array until ROCm 6, and an object with one from ROCm 7 on. */
function amdItems(json: unknown): readonly (readonly [number, Readonly<Record<string, unknown>>])[] {
  const items: unknown = isRecord(json) ? json["gpu_data"] : json;
  if (!Array.isArray(items)) return [];
  return items.slice(0, mostGpus).flatMap((item: unknown) => {
    const index = isRecord(item) ? item["gpu"] : undefined;
    const isIndex = typeof index === "number" && Number.isInteger(index) && index >= 0 && index < 1_000;
    return isRecord(item) && isIndex ? [[index, item] as const] : [];
  });
}

function amdSample(
  index: number,
  item: Readonly<Record<string, unknown>>,
  name: string | undefined,
): GpuSample {
  const part = (group: string, ...fields: readonly string[]): number | undefined => {
    const values = item[group];
    if (!isRecord(values)) return undefined;
    for (const field of fields) {
      const value = amdAmount(values[field]);
      if (value !== undefined) return value;
    }
    return undefined;
  };
  const utilization = part("usage", "gfx_activity", "gfx_usage");
  const memory = (which: string): number | undefined =>
    part("mem_usage", `${which}_vram`) ?? part("vram", `${which}_vram`);
  const borrowed = (which: string): number | undefined => part("mem_usage", `${which}_gtt`);
  return plausibleSample({
    ...{ index, name },
    utilizationPercent: utilization !== undefined && utilization <= 100 ? utilization : undefined,
    ...memoryOf(name, memory, borrowed),
    temperatureC: part("temperature", "edge", "hotspot", "junction"),
    powerW: part("power", "socket_power", "current_socket_power", "average_socket_power"),
  });
}

/** `{"value": 5, "unit": "%"}`, `5`, or `"5 W"`. */
function amdAmount(value: unknown, unit: unknown = ""): number | undefined {
  if (isRecord(value)) return amdAmount(value["value"], value["unit"]);
  const isScalar = typeof value === "number" || typeof value === "string";
  return isScalar ? amountIn(`${value} ${String(unit)}`) : undefined;
}

function rocmSample(index: number, card: Readonly<Record<string, unknown>>): GpuSample {
  const value = (...keys: readonly RegExp[]): string | undefined => {
    for (const key of keys)
      for (const [name, text] of Object.entries(card))
        if (key.test(name) && (typeof text === "string" || typeof text === "number") && text !== "N/A")
          return String(text).trim();
    return undefined;
  };
  const mebibytes = (text: string | undefined): number | undefined =>
    text === undefined || !/^\d{1,15}$/.test(text) ? undefined : Math.round(Number(text) / 1_048_576);
  const name = nameIn(value(/^Card series$/i, /^Device Name$/i));
  const memory = (which: string): number | undefined =>
    mebibytes(value(which === "used" ? /^VRAM Total Used Memory \(B\)$/ : /^VRAM Total Memory \(B\)$/));
  const borrowed = (which: string): number | undefined =>
    mebibytes(value(which === "used" ? /^GTT Total Used Memory \(B\)$/ : /^GTT Total Memory \(B\)$/));
  return plausibleSample({
    ...{ index, name },
    utilizationPercent: amount(value(/^GPU use \(%\)$/), 100),
    ...memoryOf(name, memory, borrowed),
    temperatureC: amount(
      value(/^Temperature \(Sensor edge\) \(C\)$/, /^Temperature \(Sensor junction\) \(C\)$/),
    ),
    powerW: amount(value(/^(?:Average|Current Socket) Graphics Package Power \(W\)$/)),
  });
}

/** GPUs that are a part of the processor and use the memory of the machine. */
const sharing = /\b(?:GB10|Thor|Orin|Xavier|Tegra|nvgpu|80[456]0S|Strix|Ryzen)\b/i;

/** A part of the machine's memory is set apart for some GPUs, and the rest is borrowed. */
function memoryOf(
  name: string | undefined,
  memory: (which: "used" | "total") => number | undefined,
  borrowed: (which: "used" | "total") => number | undefined,
): Pick<GpuSample, "memoryUsedMiB" | "memoryTotalMiB" | "isMemoryShared"> {
  const [used, total] = [memory("used"), memory("total")];
  const [more, most] = [borrowed("used"), borrowed("total")];
  if (!sharing.test(name ?? "") || used === undefined || total === undefined)
    return { memoryUsedMiB: used, memoryTotalMiB: total };
  return {
    ...{ memoryUsedMiB: used + (more ?? 0), memoryTotalMiB: total + (most ?? 0) },
    isMemoryShared: true,
  };
}

/** The sample with the machine's memory, if the GPU uses it and doesn't report it. Memory is in MiB. */
export function withSharedMemory(sample: GpuSample, used: number, total: number): GpuSample {
  const { memoryUsedMiB, memoryTotalMiB, name = "" } = sample;
  const isUnknown = memoryUsedMiB === undefined && memoryTotalMiB === undefined;
  if (!isUnknown || !sharing.test(name)) return sample;
  return plausibleSample({ ...sample, memoryUsedMiB: used, memoryTotalMiB: total, isMemoryShared: true });
}

/**
 * The units of tools in those of samples: %, MiB, W and °C. AMD's MB are 1,048,576 bytes, too. What is in any other unit is
 * unknown.
 */
const unitSizes: ReadonlyMap<string, number> = new Map([
  ...(["", "%", "mib", "mb", "w", "c", "°c", "celsius degree"] as const).map((unit) => [unit, 1] as const),
  ...(["gib", "gb"] as const).map((unit) => [unit, 1_024] as const),
  ...(["kib", "kb"] as const).map((unit) => [unit, 1 / 1_024] as const),
  ["mw", 1 / 1_000],
]);

/** The size of a unit; undefined if it isn't known. */
export function unitSize(unit: string): number | undefined {
  return unitSizes.get(unit.trim().toLowerCase());
}

/**
 * `31°C`, `98 %`, `191.7 GB`. Undefined for everything else.
 * @param size The size of the unit, if there is none.
 */
export function amountIn(text: string, maximum = 100_000_000, size = 1): number | undefined {
  const [, number, unit = ""] = /^(\d{1,9}(?:\.\d{1,6})?) ?([^\d\s.]{0,3})$/.exec(text.trim()) ?? [];
  const factor = unit === "" ? size : unitSize(unit);
  if (number === undefined || factor === undefined) return undefined;
  const value = Number(number) * factor;
  return value <= maximum ? value : undefined;
}

function amount(text = "", maximum = 100_000_000): number | undefined {
  if (!/^\d{1,9}(?:\.\d{1,6})?$/.test(text)) return undefined;
  const value = Number(text);
  return value <= maximum ? value : undefined;
}

function nameIn(value: unknown): string | undefined {
  return typeof value === "string" ? gpuName(value) : undefined;
}

/** Names are chosen by the machine's owner, and models read them. Undefined for anything but a plain name. */
export function gpuName(text: string): string | undefined {
  const name = sanitizeLabel(text.replaceAll("[", "(").replaceAll("]", ")"), 80);
  return /^[\p{L}\p{N}][\p{L}\p{N} .,()/+_-]{0,79}$/u.test(name) ? name : undefined;
}
