import { amountIn, gpuName, mostGpus, plausibleSample, unitSize, withDecimalPoints } from "./gpuReadings.ts";
import type { GpuSample } from "./gpuReadings.ts";

/** What a column contains. `memory` is what is used and the total, such as `41697/ 65536`. */
type Column = "index" | "name" | "percent" | "used" | "total" | "memory" | "temperature" | "power";

/** The headings of all tools and their versions, without units in brackets. */
const headings: Readonly<Record<Column, readonly string[]>> = {
  index: ["index", "gpu", "aip", "npu", "phy-id", "device", "deviceid", "device id"],
  name: ["name", "device name"],
  percent: [
    ...["utilization.gpu", "utilization.aip", "gpu-util", "aip-util", "aicore", "sm"],
    ...["gfx", "gfx%", "gfx_util", "gfx_usage", "gpu%", "gpu utilization"],
  ],
  used: ["memory.used", "vram_used", "gpu memory used", "fb"],
  total: ["memory.total", "vram_total", "memory physical size"],
  memory: ["memory-usage", "hbm-usage", "vram_usage"],
  temperature: [
    ...["temperature.gpu", "temperature.aip", "temp", "gtemp", "gpu_temp", "gpu_t"],
    ...["gpu core temperature", "hotspot_temperature"],
  ],
  power: ["power.draw", "pwr", "pwr:usage/cap", "avgpwr", "power", "power_usage", "gpu power"],
};

const columnOf: ReadonlyMap<string, Column> = new Map(
  Object.entries(headings).flatMap(([column, names]) =>
    isColumn(column) ? names.map((name) => [name, column] as const) : [],
  ),
);

function isColumn(name: string): name is Column {
  return Object.hasOwn(headings, name);
}

/** The headings of nvidia-smi, for a table that begins without them. */
const plainHead = [
  "| GPU Name Persistence-M | Bus-Id Disp.A | Uncorr. |",
  "| Fan Temp Perf Pwr | Memory-Usage | GPU-Util Compute |",
  "| | | MIG |",
];

/** Units that stand apart from their values. */
const units = new Set(["W", "°C", "C", "%", "MHz", "MB", "GB", "MiB", "V", "RPM"]);

/** What a heading says about its values. */
interface Heading {
  readonly column: Column | undefined;
  /** The size of their unit, unless they have one themselves. */
  readonly size: number;
}

/** The values of one GPU with their headings. A column may occur twice. */
type Values = readonly (readonly [Heading, string])[];

/**
 * The GPUs in what a tool prints for people or as comma-separated values: columns are found by their headings, which
 * differ between tools and versions. Of several lines about the same GPU, the last counts.
 */
export function readGpuTables(text: string): readonly GpuSample[] {
  const samples = new Map<number, GpuSample>();
  const boxes = new BoxReader();
  let columns: readonly Heading[] = [];
  let split = splitCommas;
  const add = (values: Values, isDistinct = false): void => {
    const sample = sampleOf(values);
    let index = sample?.index ?? 0;
    // Chips of one device share its number if nothing else is printed.
    while (isDistinct && samples.has(index)) index++;
    if (sample !== undefined && (samples.size < mostGpus || samples.has(index)))
      samples.set(index, { ...sample, index });
  };
  for (const raw of text.split("\n")) {
    const line = raw.trim().slice(0, 1_000);
    const jetson = readTegrastats(line);
    if (jetson !== undefined) samples.set(0, jetson);
    else if (/^[|+]/.test(line)) {
      const values = boxes.read(line);
      if (values !== undefined) add(values, true);
    } else {
      const isSeparated = line.includes(",");
      const head = (isSeparated ? splitCommas(line) : splitSpaces(line.replace(/^# ?/, ""))).map(headingOf);
      if (isHead(head)) {
        // Processes, and parts of GPUs.
        columns = /\b(?:pid|tile ?id)\b/i.test(line) ? [] : head;
        split = isSeparated ? splitCommas : splitSpaces;
      } else if (columns.length > 0 && /^["\d]|^GPU-/.test(line)) {
        const cells = fit(split(line), columns);
        if (cells.length === columns.length)
          add(columns.map((column, place) => [column, cells[place] ?? ""]));
      }
    }
  }
  return [...samples.values()].sort((one, other) => one.index - other.index);
}

/** Reads tables with borders, in which each GPU has as many lines as there are lines of headings. */
class BoxReader {
  #head: readonly (readonly string[])[] = plainHead.map(cellsOf);
  #group: (readonly string[])[] = [];

  /** The values of a GPU with its last line; otherwise undefined. */
  read(line: string): Values | undefined {
    if (/^[|+][=-]/.test(line)) {
      if (line[1] === "=") this.#takeHead();
      this.#group = [];
      return undefined;
    }
    this.#group.push(cellsOf(line));
    if (this.#group.length > 8) this.#group.shift();
    const head = this.#head;
    const group = this.#group.slice(-head.length);
    const hasShape = group.every((cells, row) => cells.length === head[row]?.length);
    if (this.#group.length !== head.length || head.length < 2 || !hasShape) return undefined;
    const values = head.flatMap((cells, row) =>
      cells.flatMap((heading, place) => {
        const columns = splitSpaces(heading).map(headingOf);
        const words = fit(splitSpaces(group[row]?.[place] ?? ""), columns);
        return columns.map((column, word) => [column, words[word] ?? ""] as const);
      }),
    );
    return isHead(values.map(([heading]) => heading)) ? values : undefined;
  }

  /** Some tools print the line below the headings between GPUs, too. */
  #takeHead(): void {
    const words = this.#group.flat().flatMap(splitSpaces);
    const columns = words.map(headingOf);
    if (columns.every(({ column }) => column === undefined)) return;
    // Processes, and instances of GPUs.
    const isOther = words.some((word) => /^(?:pid|process|gi)$/i.test(word));
    this.#head = isOther || !isHead(columns) ? [] : this.#group;
  }
}

/** Whether there is a column with values, so that the others have a meaning. */
function isHead(headings: readonly Heading[]): boolean {
  const columns = headings.map(({ column }) => column);
  return (
    columns.filter((column) => column !== undefined && column !== "name").length >= 2 ||
    (columns.includes("index") && columns.includes("name")) ||
    (columns.length > 1 && columns.includes("percent"))
  );
}

function cellsOf(line: string): readonly string[] {
  return line
    .split("|")
    .slice(1, -1)
    .map((cell) => cell.trim());
}

/** In an unknown unit, the values aren't known either. */
function headingOf(text: string): Heading {
  const [, unit = ""] = / ?[([]([^()[\]]{0,40})[)\]]/.exec(text) ?? [];
  const plain = text.toLowerCase().replace(/ ?[([][^()[\]]{0,40}[)\]]/g, "");
  const size = unitSize(unit);
  return { column: size === undefined ? undefined : columnOf.get(plain.trim()), size: size ?? 1 };
}

function splitCommas(line: string): readonly string[] {
  const cells = withDecimalPoints(line).match(/"[^"]{0,500}"|[^",]{1,500}|,/g) ?? [];
  const split = [""];
  for (const cell of cells)
    if (cell === ",") split.push("");
    else split[split.length - 1] += cell.replaceAll('"', "");
  return split.map((cell) => cell.trim());
}

/** `40844/ 65536` is one word, and units belong to the value before them. */
function splitSpaces(line: string): readonly string[] {
  const words = line.replace(/ {0,40}\/ {0,40}/g, "/").split(/\s+/);
  return words.filter((word) => word !== "" && !units.has(word));
}

/** As many cells as columns: a name may contain the separator. */
function fit(cells: readonly string[], columns: readonly Heading[]): readonly string[] {
  const extra = cells.length - columns.length;
  const name = columns.length === 1 ? 0 : columns.findIndex(({ column }) => column === "name");
  if (extra <= 0 || name === -1) return cells;
  const whole = cells.slice(name, name + extra + 1).join(" ");
  return [...cells.slice(0, name), whole, ...cells.slice(name + extra + 1)];
}

function sampleOf(values: Values): GpuSample | undefined {
  const find = (wanted: Column, maximum?: number): readonly number[] =>
    values.flatMap(([{ column, size }, text]) =>
      column === wanted ? (amountIn(text.split("/")[0] ?? "", maximum, size) ?? []) : [],
    );
  const memories = values.flatMap(([{ column, size }, text]) => {
    const [used = "", total = ""] = column === "memory" ? text.split("/") : [];
    const pair = [amountIn(used, undefined, size), amountIn(total, undefined, size)] as const;
    return (pair[1] ?? 0) > 0 ? [pair] : [];
  });
  // High-bandwidth memory comes after the memory of the controller.
  const [used, total] = memories.at(-1) ?? [find("used")[0], find("total")[0]];
  const hasIndex = values.some(([{ column }]) => column === "index");
  const index = hasIndex ? find("index").at(-1) : 0;
  if (index === undefined || !Number.isInteger(index) || index > 9_999) return undefined;
  const name = values.find(([{ column }]) => column === "name")?.[1];
  return plausibleSample({
    ...{ index, name: name === undefined ? undefined : gpuName(name) },
    utilizationPercent: find("percent", 100)[0],
    ...{ memoryUsedMiB: used, memoryTotalMiB: total },
    ...{ temperatureC: find("temperature")[0], powerW: find("power")[0] },
  });
}

/** A line of `tegrastats`. The GPU uses the memory of the machine. */
function readTegrastats(line: string): GpuSample | undefined {
  const [, used, total] = /\bRAM (\d{1,8})\/(\d{1,8})MB\b/.exec(line) ?? [];
  if (used === undefined || !line.includes("GR3D")) return undefined;
  return plausibleSample({
    ...{ index: 0, name: undefined, powerW: undefined, isMemoryShared: true },
    utilizationPercent: amountIn(/\bGR3D(?:_FREQ)? (\d{1,3})%/.exec(line)?.[1] ?? "", 100),
    ...{ memoryUsedMiB: Number(used), memoryTotalMiB: Number(total) },
    temperatureC: amountIn(/\bGPU@(\d{1,3}(?:\.\d{1,3})?)C\b/i.exec(line)?.[1] ?? ""),
  });
}
