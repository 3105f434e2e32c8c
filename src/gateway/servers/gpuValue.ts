import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import type { Gpu } from "./gpuText.ts";
import { readGpuText } from "./gpuText.ts";
import { countOf, lastSegment, scalarText } from "./scalarText.ts";

const modelNames = [
  "gpumodel",
  "gpudescription",
  "gpuname",
  "gpudisplayname",
  "gputype",
  "gpuv0name",
  "model",
  "modelname",
  "name",
  "displayname",
  "longname",
  "acceleratortype",
  "type",
  "gputypeid",
  "description",
  "product",
  "productname",
  "kind",
  "class",
  "spec",
  "slug",
  "code",
];

/** Names of a GPU's count that say so themselves. */
export const countNames: readonly string[] = [
  "gpucount",
  "numgpus",
  "numgpu",
  "numberofgpus",
  "gpunum",
  "gpunumber",
  "gpuamount",
  "gpuquantity",
  "gpuqty",
  "ngpus",
  "ngpu",
  "totalgpus",
  "gputotal",
  "gpuscount",
  "gpucards",
  "acceleratorcount",
];
const innerCountNames = [
  ...countNames,
  "count",
  "quantity",
  "amount",
  "num",
  "number",
  "qty",
  "total",
  "units",
];

/** Reads whatever stands in a field named after the GPU: a number, a text, an object, a list of them. */
export function readGpuValue(value: unknown, depth = 0): Gpu {
  if (typeof value === "number") return Number.isInteger(value) && value >= 0 ? { count: value } : {};
  if (typeof value === "string") return readGpuText(lastSegment(value));
  if (depth > 2) return {};
  if (Array.isArray(value)) return mergeGpus(value.map((item: unknown) => readItem(item, depth)));
  return isRecord(value) ? readObject(value, depth) : {};
}

/** A number in a list is an index or an id, never a count. */
function readItem(item: unknown, depth: number): Gpu {
  return typeof item === "number" ? {} : readGpuValue(item, depth + 1);
}

/** Cards of one model are counted together; cards of different models stand side by side. */
function mergeGpus(gpus: readonly Gpu[]): Gpu {
  const counts = new Map<string, number>();
  for (const { model = "", count = 1 } of gpus) counts.set(model, (counts.get(model) ?? 0) + count);
  const named = [...counts].filter(([model]) => model !== "");
  const total = (named.length > 0 ? named : [...counts]).reduce((sum, [, count]) => sum + count, 0);
  if (gpus.length === 0 || total === 0) return { count: 0 };
  if (named.length === 0) return { count: gpus.length };
  const [only] = named;
  if (named.length === 1 && only !== undefined) return { model: only[0], count: total };
  return { model: named.map(([model, count]) => `${count}x ${model}`).join(" + "), count: total };
}

function readObject(record: Readonly<Record<string, unknown>>, depth: number): Gpu {
  const byName = new Map(Object.keys(record).map((name) => [fieldName(name), record[name]]));
  const count = innerCountNames.map((name) => countOf(byName.get(name))).find((found) => found !== undefined);
  const named = readModel(byName);
  if (named?.model !== undefined) return { ...named, ...(count === undefined ? {} : { count }) };
  if (count !== undefined) return { count };
  return readModelMap(record, depth) ?? readNested(byName, depth);
}

function readModel(byName: ReadonlyMap<string, unknown>): Gpu | undefined {
  const texts = [...modelNames, "id"].flatMap((name) => scalarText(byName.get(name)) ?? []);
  const text = texts.map(lastSegment).find((candidate) => /[A-Za-z]/.test(candidate) && !isUuid(candidate));
  const gpu = text === undefined ? undefined : readGpuText(text);
  return gpu?.model === undefined || /^(?:gpu|nvidia|amd)$/i.test(gpu.model) ? undefined : gpu;
}

function isUuid(text: string): boolean {
  return /^(?:GPU-)?[0-9a-f]{8}-[0-9a-f-]{27}$|^[0-9a-f]{24,}$/i.test(text);
}

/** `{"h100-sxm5-80gb": {"count": 8}}` and `{"H100": 8}`: the model is the name of the field. */
function readModelMap(record: Readonly<Record<string, unknown>>, depth: number): Gpu | undefined {
  const entries = Object.entries(record);
  const isMap =
    depth === 0 &&
    entries.length > 0 &&
    entries.length <= 8 &&
    entries.every(([name, value]) => /\d/.test(name) && (isRecord(value) || countOf(value) !== undefined));
  if (!isMap) return undefined;
  return mergeGpus(entries.map(([model, value]) => ({ count: 1, ...readGpuValue(value, depth + 1), model })));
}

function readNested(byName: ReadonlyMap<string, unknown>, depth: number): Gpu {
  for (const name of ["gpu", "gpus", "accelerator", "accelerators", "devices", "items"]) {
    if (byName.has(name)) return readGpuValue(byName.get(name), depth + 1);
  }
  return {};
}
