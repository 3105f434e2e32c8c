import { isRecord } from "../../core/kernel/json.ts";
import { mappedField } from "../../core/servers/fieldMapping.ts";
import type { FieldMapping } from "../../core/servers/fieldMapping.ts";
import type { Server, ServerFact } from "../../core/servers/server.ts";
import { factEntry, factNames } from "../../core/servers/serverFacts.ts";
import type { FactName } from "../../core/servers/serverFacts.ts";
import { writePrice } from "../../core/servers/serverPrice.ts";
import { readServerAddress } from "./addressFact.ts";
import { fieldFacts, readFieldFact, readValue } from "./fieldFacts.ts";
import type { FieldFact } from "./fieldFacts.ts";
import { readGpu, readGpuUse } from "./gpuFact.ts";
import { readGpuText } from "./gpuValue.ts";
import { parseIpAddress } from "./ipAddress.ts";
import { followPath } from "./listPath.ts";
import { readPrice, readPriceIn } from "./priceFact.ts";
import { RecordView, scalarText } from "./recordView.ts";
import { readStatus, statusWord } from "./statusFact.ts";

/** The facts of a record. The user can map them to other places in it. */
type Facts = { -readonly [K in Exclude<keyof Server, "key" | "record">]: Server[K] };

/** An entry of the list whose facts are read only if it has changed. */
interface OpenedEntry {
  /** The ID of the server, or its name. Undefined without either. */
  readonly key: string | undefined;
  /** `beside` has the facts that stand beside the list. */
  read(beside: Beside): Omit<Server, "key">;
}

type Beside = { readonly currency: string | undefined };

/**
 * Parses one entry of the list; anything that isn't a record becomes a server about which nothing else is known.
 * @param mapKey The name of the entry if the list is a map.
 */
export function openEntry(entry: unknown, mapKey: string | undefined, mapping: FieldMapping): OpenedEntry {
  const view = isRecord(entry) ? new RecordView(entry) : undefined;
  const ownId = view === undefined ? scalarFact(entry) : readFieldFact(view, "id");
  const id = mappedFact(entry, mapping, "id") ?? ownId ?? keyFact(mapKey);
  const name = mappedFact(entry, mapping, "name") ?? (view && readFieldFact(view, "name"));
  return {
    key: id?.value ?? (name && `name:${name.value}`),
    read(beside) {
      const facts = view === undefined ? { status: "unknown" as const } : readFacts(view, entry, beside);
      const all = { ...facts, ...mappedFacts(entry, mapping) };
      const costNow = all.status === "stopped" ? (all.costNow ?? stoppedCost(entry, all, beside)) : undefined;
      return { ...all, costNow, id, name, record: entry };
    },
  };
}

function scalarFact(entry: unknown): ServerFact | undefined {
  const text = scalarText(entry);
  return text === undefined ? undefined : { value: text, source: "" };
}

/** The name of an entry in a map of servers; the record's own ID takes precedence. */
function keyFact(mapKey: string | undefined): ServerFact | undefined {
  return mapKey === undefined ? undefined : { value: mapKey, source: "(name of the entry)" };
}

/** A fact that the table names no fields for is read here, or this doesn't compile. */
function readFacts(view: RecordView, record: unknown, beside: Beside): Omit<Server, "key" | "record"> {
  const { status, text } = readStatus(view);
  const { gpu, gpuModel, gpuCount } = readGpu(view);
  const { address, ...addresses } = readServerAddress(record);
  const price = priceFact(record, { gpuCount }, { ...beside, isStopped: false });
  const others: { readonly [K in Exclude<FactName, FieldFact>]: ServerFact | undefined } = {
    statusText: text,
    ...{ price, costNow: undefined, gpu, gpuModel, gpuCount, address },
    // What it was used for before it stopped says nothing.
    gpuUse: status === "running" ? readGpuUse(view) : undefined,
  };
  const named = Object.fromEntries(fieldFacts.map((name) => [name, readFieldFact(view, name)]));
  return { status, ...named, ...others, ...addresses };
}

function stoppedCost(record: unknown, server: Pick<Server, "gpuCount">, beside: Beside) {
  return priceFact(record, server, { ...beside, isStopped: true });
}

function priceFact(
  record: unknown,
  { gpuCount }: Pick<Server, "gpuCount">,
  kind: Beside & { readonly isStopped: boolean },
): ServerFact | undefined {
  const gpus = gpuCount === undefined ? undefined : Number(gpuCount.value);
  const found = readPrice(record, { ...kind, gpus });
  return found && { value: writePrice(found), source: found.source };
}

/** The values at the paths of the user's mapping; fields whose paths don't exist keep what the reader found. */
function mappedFacts(entry: unknown, mapping: FieldMapping): Partial<Facts> {
  const facts: Partial<Facts> = {};
  for (const name of factNames) {
    const fact = mappedFact(entry, mapping, name);
    if (fact !== undefined) facts[name] = fact;
  }
  const { statusText, address, gpu } = facts;
  if (statusText !== undefined) facts.status = statusWord(statusText.value);
  if (address !== undefined) facts.isPrivateAddress = parseIpAddress(address.value)?.isPrivate ?? false;
  return { ...facts, ...mappedGpu(facts, gpu) };
}

/** The GPU text at the user's path, or composed of the model and the count that the user mapped. */
function mappedGpu(facts: Partial<Facts>, gpu: ServerFact | undefined): Partial<Facts> {
  if (gpu !== undefined) {
    const { model, count } = readGpuText(gpu.value);
    return {
      gpu,
      ...(model === undefined || facts.gpuModel ? {} : { gpuModel: { value: model, source: gpu.source } }),
      ...(count === undefined || facts.gpuCount
        ? {}
        : { gpuCount: { value: String(count), source: gpu.source } }),
    };
  }
  if (facts.gpuModel === undefined) return {};
  const count = facts.gpuCount === undefined ? "" : `${facts.gpuCount.value} × `;
  return { gpu: { value: count + facts.gpuModel.value, source: facts.gpuModel.source } };
}

function mappedFact(entry: unknown, mapping: FieldMapping, name: FactName): ServerFact | undefined {
  const { kind } = factEntry(name);
  for (const place of mapping[mappedField(name)] ?? []) {
    // A price is mapped together with its unit.
    const [path = "", unit] = kind === "price" ? place.split(/ in (?!.* in )/) : [place];
    for (const found of followPath(entry, path)) {
      const value = typeof found.value === "boolean" ? String(found.value) : found.value;
      const text =
        kind === "price"
          ? readPriceIn(value, unit)
          : kind === "time" || kind === "seconds"
            ? readValue(found, kind)?.value
            : scalarText(value);
      if (text !== undefined) return { value: text, source: found.path };
    }
  }
  return undefined;
}
