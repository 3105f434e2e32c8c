import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import { countOf, lastSegment, scalarText } from "./recordView.ts";
/** The properties of a GPU that a text or an object describes. */
export interface Gpu {
  readonly model?: string;
  readonly count?: number;
}

/** Words that mean there is no GPU. */
const nothing = /^(?:none|no|n\/?a|null|nil|false|true|-+|no gpu|without gpu|cpu|cpu only|unknown|\[\])$/i;

const start = "(?<![A-Za-z0-9])";
const end = "(?![A-Za-z0-9])";
/** A count may follow a name immediately: `h100x8`, and Linode's `rtx4000a1-s` for one RTX 4000 Ada. */
const endOrCount = "(?![b-wyz0-9]|x(?!\\d)|a(?!\\d-[a-z]{1,2}$))";
const dataCenterModels =
  "[HB]\\d00(?:SXM)?|H20|GB[23]00|GH200|A100|A800|H800|V100S?|P100|L40S|MI\\d{3}[A-Z]?|A[456]000|A10G|K80|M60";
const cardModels =
  "RTX[\\s_-]*(?:PRO[\\s_-]*)?A?\\d{3,4}(?:[\\s_-]*(?:Ti|Ada|Super))*|GTX[\\s_-]*\\d{3,4}(?:[\\s_-]*Ti)?";
const familyModels = "Gaudi[\\s_-]*\\d|Tesla[\\s_-]*[A-Z]\\d+|Quadro[\\s_-]*\\w+|TPU[\\s_-]*v\\d\\w*";
/** Names that mean something else in many type names (`Standard_A2`); they count only next to the word GPU. */
const shyModels = "A10|A16|A2|A30|A40|L4|L20|L40|L2|T4|P4|P40|[345]0[5-9]0(?:[\\s_-]*S|Ti)?";

/** Names of accelerators that are unambiguous in any context. */
const clearPatterns = [
  new RegExp(`${start}(?:${dataCenterModels})${endOrCount}`, "i"),
  new RegExp(`${start}(?:${cardModels})${endOrCount}`, "i"),
  new RegExp(`${start}(?:${familyModels})${endOrCount}`, "i"),
];
const allPatterns = [...clearPatterns, new RegExp(`${start}(?:${shyModels})${end}`, "i")];

/** The first name in the text that one of the patterns matches. */
function firstModel(text: string, patterns: readonly RegExp[]): RegExpExecArray | undefined {
  const found = patterns.map((pattern) => pattern.exec(text)).filter((match) => match !== null);
  return found.toSorted((first, next) => first.index - next.index)[0];
}

const leadingCount = /^\(?(\d{1,4})\)?\s*(?:[x×*]|pcs\b|units?\b)\s*(?=\S)/i;
const trailingCount = /(?:[x×*]\s{0,5}(\d{1,3})|\((\d{1,3})\s*[x×]\))$/i;

/** No GPU name is longer, and searching whatever else a server may send would take too long. */
const maxLength = 500;

/** Parses the text of a field named after the GPU: `8x H100`, `NVIDIA A100 x4`, `4`, `None`. */
export function readGpuText(text: string): Gpu {
  const trimmed = text.slice(0, maxLength).trim();
  if (trimmed === "" || nothing.test(trimmed)) return {};
  if (/^\d{1,4}$/.test(trimmed)) return { count: Number(trimmed) };
  const gres = /^gpu:(?:([A-Za-z][^:(,]*):)?(\d+)/i.exec(trimmed);
  if (gres !== null) return gpu(gres[1], Number(gres[2]));
  if (/^(?:gpu|gres\/gpu)=\d+$/i.test(trimmed)) return { count: Number(trimmed.replace(/\D+/g, "")) };
  const count = leadingCount.exec(trimmed)?.[1];
  if (count !== undefined) return gpu(trimmed.replace(leadingCount, ""), Number(count));
  const trailing = trailingCount.exec(trimmed);
  const times = trailing?.[1] ?? trailing?.[2];
  return times === undefined ? { model: trimmed } : gpu(trimmed.replace(trailingCount, ""), Number(times));
}

/** Finds a GPU in the name or description of an instance type; nothing unless the text is unambiguous. */
export function findGpuInType(text: string): Gpu {
  if (text.length > 200) return {};
  // Crusoe's `a40.8x` and `l40s-48gb.8x` count GPUs.
  const isAboutGpus = /gpu|^[a-z]\d+\.\d{1,2}x$/i.test(text);
  const model = firstModel(text, isAboutGpus ? allPatterns : clearPatterns);
  if (model === undefined) return {};
  const before = text.slice(0, model.index);
  const after = text.slice(model.index + model[0].length);
  const whole = wholeName(before, model[0], after);
  const count =
    /(?:^|[^A-Za-z0-9])(\d{1,3})\s?[x×][\s_-]{0,5}(?:NVIDIA|AMD|Intel)?[\s_-]{0,5}$/i.exec(before)?.[1] ??
    // Paperspace has `A100-80Gx8`.
    /^(?:-\d{2,3}GB?)?x(\d{1,3})(?![A-Za-z0-9])/i.exec(after)?.[1] ??
    /[\s._-](\d{1,3})x$/i.exec(after)?.[1] ??
    // Scaleway's `H100-SXM-8-80G`, and Vultr's `…-8-h100-gpu`.
    /^(?:-SXM\d?)?-(\d{1,2})-\d{2,3}G$/i.exec(after)?.[1] ??
    // Linode's `g1-gpu-rtx6000-2`, `g2-gpu-rtx4000a4-m` and `g3-gpu-rtxpro6000-blackwell-2`.
    (/-gpu-$/.test(before) ? /^(?:a|-(?:blackwell-)?)(\d)(?:-[a-z]{1,2})?$/i.exec(after)?.[1] : undefined) ??
    (after === "-gpu" ? /-(\d{1,2})-$/.exec(before)?.[1] : undefined) ??
    (/\bGPU\d?\./i.test(before) ? /^[\w-]*\.(\d{1,3})$/.exec(after)?.[1] : undefined);
  return gpu(whole, count === undefined ? undefined : Number(count));
}

/** A description continues after the name, as in `H100 (80 GB SXM5)`; the name of a type doesn't. */
function wholeName(before: string, model: string, after: string): string {
  const isDescription = /^\s*\d{1,3}\s?[x×]\s+/i.test(before) && /^\s*\([^()]*\)\s*$/.test(after);
  return isDescription ? `${model}${after}`.trim() : model;
}

function gpu(model: string | undefined, count: number | undefined): Gpu {
  const name = model?.trim() ?? "";
  return { ...(name === "" ? {} : { model: name }), ...(count === undefined ? {} : { count }) };
}

const modelNames = (
  "gpumodel gpudescription gpuname gpudisplayname gputype gpuv0name model modelname name displayname " +
  "longname acceleratortype type gputypeid description product productname kind class spec slug code"
).split(" ");

/** Field names that unambiguously denote a GPU count. */
export const countNames: readonly string[] = (
  "gpucount numgpus numgpu numberofgpus gpunum gpunumber gpuamount gpuquantity gpuqty ngpus ngpu " +
  "totalgpus gputotal gpuscount gpucards acceleratorcount"
).split(" ");
const innerCountNames = [...countNames, ..."count quantity amount num number qty total units".split(" ")];

/** Parses any value of a field named after the GPU: a number, a text, an object, or a list of them. */
export function readGpuValue(value: unknown, depth = 0): Gpu {
  if (typeof value === "number") return /^\d{1,4}$/.test(String(value)) ? { count: value } : {};
  if (typeof value === "string") return readGpuText(lastSegment(value));
  if (depth > 2) return {};
  if (Array.isArray(value)) return mergeGpus(value.map((item: unknown) => readItem(item, depth)));
  return isRecord(value) ? readObject(value, depth) : {};
}

/** A number in a list is an index or an ID, never a count. */
function readItem(item: unknown, depth: number): Gpu {
  return typeof item === "number" ? {} : readGpuValue(item, depth + 1);
}

/** Cards of the same model are counted together; different models are listed next to each other. */
function mergeGpus(gpus: readonly Gpu[]): Gpu {
  const counts = new Map<string, number>();
  for (const { model = "", count = 1 } of gpus) counts.set(model, (counts.get(model) ?? 0) + count);
  const named = [...counts].filter(([model]) => model !== "");
  const total = (named.length > 0 ? named : [...counts]).reduce((sum, [, count]) => sum + count, 0);
  if (gpus.length === 0 || total === 0) return { count: 0 };
  if (named.length === 0) return { count: gpus.length };
  const [only] = named;
  if (named.length === 1 && only !== undefined) return { model: only[0], count: total };
  return { model: named.map(([model, count]) => `${count} × ${model}`).join(" + "), count: total };
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
