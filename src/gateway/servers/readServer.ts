import type { FieldMapping, MappedField } from "../../core/servers/fieldMapping.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { Server, ServerFact } from "../../core/servers/server.ts";
import { readServerAddress } from "./addressFact.ts";
import { readGpu } from "./gpuFact.ts";
import { readGpuText } from "./gpuValue.ts";
import { readId, readName, readRegion } from "./identityFacts.ts";
import { parseIpAddress } from "./ipAddress.ts";
import { followPath } from "./listPath.ts";
import { RecordView, scalarText } from "./recordView.ts";
import { readStatus, statusWord } from "./statusFact.ts";

/** The facts of a record. The user can map some of them to other places in it. */
type Facts = { -readonly [K in Exclude<keyof Server, "key" | "record">]: Server[K] };

/** An entry of the list whose facts are read only if it has changed. */
interface OpenedEntry {
  /** The ID of the server, or its name. Undefined without either. */
  readonly key: string | undefined;
  read(): Omit<Server, "key">;
}

/**
 * Parses one entry of the list; anything that isn't a record becomes a server about which nothing else is known.
 * @param mapKey The name of the entry if the list is a map.
 */
export function openEntry(entry: unknown, mapKey: string | undefined, mapping: FieldMapping): OpenedEntry {
  const view = isRecord(entry) ? new RecordView(entry) : undefined;
  const ownId = view === undefined ? scalarFact(entry) : readId(view);
  const id = mappedFact(entry, mapping, "id") ?? ownId ?? keyFact(mapKey);
  const name = mappedFact(entry, mapping, "name") ?? (view && readName(view));
  return {
    key: id?.value ?? (name && `name:${name.value}`),
    read() {
      const facts = view === undefined ? { status: "unknown" as const } : readFacts(view, entry);
      return { id, name, ...facts, ...mappedFacts(entry, mapping), record: entry };
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

function readFacts(view: RecordView, record: unknown): Omit<Server, "key" | "id" | "name" | "record"> {
  const { status, text } = readStatus(view);
  return {
    status,
    statusText: text,
    ...readGpu(view),
    region: readRegion(view),
    ...readServerAddress(record),
  };
}

/** The values at the paths of the user's mapping; fields whose paths don't exist keep what the reader found. */
function mappedFacts(entry: unknown, mapping: FieldMapping): Partial<Facts> {
  const facts: Partial<Facts> = {};
  for (const field of ["gpuModel", "gpuCount", "region"] as const) {
    const fact = mappedFact(entry, mapping, field);
    if (fact !== undefined) facts[field] = fact;
  }
  const status = mappedFact(entry, mapping, "status");
  if (status !== undefined) {
    facts.statusText = status;
    facts.status = statusWord(status.value);
  }
  const address = mappedFact(entry, mapping, "address");
  if (address !== undefined) {
    facts.address = address;
    facts.isPrivateAddress = parseIpAddress(address.value)?.isPrivate ?? false;
  }
  return { ...facts, ...mappedGpu(facts, mappedFact(entry, mapping, "gpu")) };
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
  const count = facts.gpuCount === undefined ? "" : `${facts.gpuCount.value}x `;
  return { gpu: { value: count + facts.gpuModel.value, source: facts.gpuModel.source } };
}

function mappedFact(entry: unknown, mapping: FieldMapping, field: MappedField): ServerFact | undefined {
  for (const path of mapping[field] ?? []) {
    for (const found of followPath(entry, path)) {
      const text = typeof found.value === "boolean" ? String(found.value) : scalarText(found.value);
      if (text !== undefined) return { value: text, source: found.path };
    }
  }
  return undefined;
}
