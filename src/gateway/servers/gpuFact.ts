import { isRecord } from "../../core/kernel/json.ts";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import { percentOf } from "./fieldFacts.ts";
import type { Gpu } from "./gpuValue.ts";
import { countNames, readGpuValue, findGpuInType } from "./gpuValue.ts";
import { RecordView, fieldNames, lastSegment, scalarText } from "./recordView.ts";
import type { LocatedValue, Names } from "./recordView.ts";

interface GpuFacts {
  readonly gpu?: ServerFact;
  readonly gpuModel?: ServerFact;
  readonly gpuCount?: ServerFact;
}

/** Fields that contain the model and nothing else. */
const modelNames = fieldNames(
  (
    "gpudescription gpumodel gpuname gpudisplayname gputype gputypename gpumodelname gpuproduct gpuspec " +
    "gpucard gpukind gpuclass gputypeid acceleratortype acceleratorname graphicscard"
  ).split(" "),
);
/** Fields that may contain a model, a count, both, or a list of them. */
const mixedNames = fieldNames(
  (
    "gpu gpus gpuinfo gpudetails gpuspecs gpuconfig gpuconfiguration gpulist gpudevices gpuresources " +
    "guestaccelerators accelerators accelerator gres"
  ).split(" "),
);
/** Objects that describe a server's hardware. */
const containers = fieldNames(
  (
    "instancetype flavor flavour plan specs spec specification size shape shapeconfig machine machinetype " +
    "resources hardware hw hardwareprofile hardwaredescription containers servertype configuration config " +
    "product package offering offer capacity allocatable limits extraspecs labels type template compute"
  ).split(" "),
);
/** Names and descriptions of an instance type; a GPU is read from them only if they are unambiguous. */
const countFields = fieldNames(countNames);
const typeNames = fieldNames(
  (
    "instancetype machinetype flavor flavour servertype plan shape size commercialtype cloudinstancetype " +
    "vmsize sku product productname platform type package offering serviceofferingname instanceclass hardware"
  ).split(" "),
);

const innerTypeNames = fieldNames(["description", "displayname", "name", "slug", "id"]);
const sizeNames = fieldNames(["preset", "size", "profile", "tier", "instancetype", "type"]);

/**
 * The GPU of a server: never its processor, and nothing if the record doesn't mention a GPU or says that there is none.
 */
export function readGpu(view: RecordView): GpuFacts {
  const locations = [view];
  addHardware(view, 0, locations);
  const mixed = firstGpu(locations, mixedNames);
  const model = firstText(locations, modelNames) ?? fieldOf(mixed, mixed?.gpu.model);
  const counted = firstCount(locations) ?? fieldOf(mixed, mixed?.gpu.count);
  const isNone = Number(counted?.value) === 0;
  if (isNone) return {};
  const typed = model === undefined ? readType(locations) : undefined;
  return describe(model ?? typed?.model, counted ?? typed?.count);
}

/** Fields with the use of all GPUs, or with a list of it. */
const useNames = fieldNames(
  "gpu gpus gpumetrics gpustats"
    .split(" ")
    .flatMap((gpu) =>
      "util utilpercent utilization utilizationpercent utilizationpct usage usagepercent load"
        .split(" ")
        .map((use) => gpu + use),
    ),
);
const useLists = fieldNames("gpus gpu gpumetrics gpustats gpudevices".split(" "));
const useHolders = fieldNames(
  "runtime metrics stats telemetry monitoring usage utilization latest".split(" "),
);
const innerUse = /^(?:gpu)?(?:util|utilization|usage|load)(?:percent|pct)?$/;

/** How much the GPUs are used on average, if the record says so for each of them. */
export function readGpuUse(view: RecordView): ServerFact | undefined {
  for (const place of [view, ...view.children(useHolders)])
    for (const field of [...place.all(useNames), ...place.all(useLists)]) {
      const values = (Array.isArray(field.value) ? field.value : [field.value]).map((value: unknown) =>
        isRecord(value) ? useIn(value) : percentOf(value, field.path),
      );
      const known = values.filter((value) => value !== undefined);
      if (known.length === 0 || known.length < values.length) continue;
      const mean = known.reduce((sum, value) => sum + value, 0) / known.length;
      return { value: `${Math.round(mean)}%`, source: field.path };
    }
  return undefined;
}

function useIn(gpu: JsonRecord): number | undefined {
  const name = Object.keys(gpu).find((each) => innerUse.test(fieldName(each)));
  return name === undefined ? undefined : percentOf(gpu[name], name);
}

/** Adds the objects that describe the hardware, each followed by those inside it. */
function addHardware(view: RecordView, depth: number, locations: RecordView[]): void {
  if (depth > 2) return;
  for (const child of view.children(containers)) {
    locations.push(child);
    addHardware(child, depth + 1, locations);
  }
}

interface FoundGpu {
  readonly gpu: Gpu;
  readonly path: string;
}

function firstGpu(locations: readonly RecordView[], names: Names): FoundGpu | undefined {
  let counted: FoundGpu | undefined;
  for (const location of locations) {
    for (const field of location.all(names)) {
      if (typeof field.value === "boolean") continue;
      const found = { gpu: readGpuValue(field.value), path: field.path };
      if (found.gpu.model !== undefined) return found;
      if (found.gpu.count !== undefined) counted ??= found;
    }
  }
  return counted;
}

function fieldOf(found: FoundGpu | undefined, value: string | number | undefined): ServerFact | undefined {
  return found === undefined || value === undefined
    ? undefined
    : { value: String(value), source: found.path };
}

/** A field with the model; one that contains a list or an object is read like any other. */
function firstText(locations: readonly RecordView[], names: Names): ServerFact | undefined {
  const found = firstGpu(locations, names);
  return fieldOf(found, found?.gpu.model === undefined ? undefined : modelWithCount(found.gpu));
}

function modelWithCount({ model = "", count }: Gpu): string {
  return count === undefined || / \+ /.test(model) ? model : `${count} × ${model}`;
}

function firstCount(locations: readonly RecordView[]): ServerFact | undefined {
  for (const location of locations) {
    const field = location.find(countFields);
    const text = field === undefined ? undefined : scalarText(field.value);
    if (field !== undefined && text !== undefined && /^\d{1,4}(?:\.0+)?$/.test(text)) {
      return { value: String(Number(text)), source: field.path };
    }
  }
  return undefined;
}

interface TypeGpu {
  readonly model?: ServerFact;
  readonly count?: ServerFact;
}

function readType(locations: readonly RecordView[]): TypeGpu {
  for (const location of locations) {
    for (const field of location.all(typeNames)) {
      const found = typeTexts(field)
        .map(gpuOfType)
        .find(({ model }) => model !== undefined);
      if (found?.model !== undefined) return { model: found.model, ...countOfType(found, location) };
    }
  }
  return {};
}

/** `{"platform": "gpu-h100-sxm", "preset": "8gpu-128vcpu"}`: the size next to the type contains the count. */
function countOfType({ count }: TypeGpu, location: RecordView): Pick<TypeGpu, "count"> {
  if (count !== undefined) return { count };
  for (const field of location.all(sizeNames)) {
    const times = /(?:^|[^a-z0-9.])(\d{1,2})[ _-]?x?[ _-]?gpus?(?![a-z0-9])/i.exec(
      scalarText(field.value) ?? "",
    )?.[1];
    if (times !== undefined) return { count: { value: times, source: field.path } };
  }
  return {};
}

function gpuOfType({ value, path }: LocatedValue): TypeGpu {
  const text = scalarText(value);
  const { model, count } = text === undefined ? {} : findGpuInType(lastSegment(text));
  if (model === undefined) return {};
  const fact = { value: model, source: path };
  return count === undefined
    ? { model: fact }
    : { model: fact, count: { value: String(count), source: path } };
}

function typeTexts(field: LocatedValue): readonly LocatedValue[] {
  if (!isRecord(field.value)) return [field];
  return new RecordView(field.value, field.path).all(innerTypeNames);
}

/** `8 × H100 (80 GB SXM5)` from both facts, without the model's own count. */
function describe(model: ServerFact | undefined, count: ServerFact | undefined): GpuFacts {
  if (model === undefined) {
    if (count === undefined) return {};
    const value = count.value === "1" ? "1 GPU" : `${count.value} GPUs`;
    return { gpu: { value, source: count.source }, gpuCount: count };
  }
  const own = ownCount(model.value);
  const gpuModel = own?.[2] === undefined ? model : { value: own[2], source: model.source };
  const gpuCount = count ?? (own?.[1] === undefined ? undefined : { value: own[1], source: model.source });
  const isMany = gpuModel.value.includes(" + ");
  const label = gpuCount === undefined || isMany ? gpuModel.value : `${gpuCount.value} × ${gpuModel.value}`;
  const gpu = { value: label, source: model.source };
  return gpuCount === undefined ? { gpu, gpuModel } : { gpu, gpuModel, gpuCount };
}

/** The count and the rest of a model such as `8 × H100`. Most begin with a letter. */
function ownCount(model: string): RegExpExecArray | null {
  return model.charCodeAt(0) > 57 ? null : /^(\d{1,4}) × (?!.* \+ )(.+)$/.exec(model);
}
