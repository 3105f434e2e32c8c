import type { FieldMapping, MappedField } from "../../core/servers/fieldMapping.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { Server, ServerFact } from "../../core/servers/server.ts";
import { readServerAddress } from "./addressFact.ts";
import { readGpu } from "./gpuFact.ts";
import { readGpuText } from "./gpuValue.ts";
import { readId, readName, readRegion } from "./identityFacts.ts";
import { parseIpAddress } from "./ipAddress.ts";
import { followPath } from "./listExtent.ts";
import { RecordView, scalarText } from "./recordView.ts";
import { readStatus, statusWord } from "./statusFact.ts";

/** A server that still needs its key, which depends on the other servers. */
type KeylessServer = Omit<Server, "key"> & { key: string };

/**
 * Parses one entry of the list; anything that isn't a record becomes a server about which nothing else is known. Its
 * key is empty.
 */
export function readServer(entry: unknown, mapKey: string | undefined, mapping: FieldMapping): KeylessServer {
  const facts = isRecord(entry) ? readRecord(entry, mapKey) : readScalar(entry, mapKey);
  return isEmpty(mapping) ? facts : { ...facts, ...readMapped(entry, mapping) };
}

function isEmpty(mapping: FieldMapping): boolean {
  for (const _name in mapping) return false;
  return true;
}

function readScalar(entry: unknown, mapKey: string | undefined): KeylessServer {
  const text = scalarText(entry);
  const id = text === undefined ? keyFact(mapKey) : { value: text, source: "" };
  return { key: "", ...(id === undefined ? {} : { id }), status: "unknown", record: entry };
}

function readRecord(record: Readonly<Record<string, unknown>>, mapKey: string | undefined): KeylessServer {
  const view = RecordView.of(record);
  const { status, text } = readStatus(view);
  const { gpu, gpuModel, gpuCount } = readGpu(view);
  const { address, isPrivateAddress, otherAddresses } = readServerAddress(record);
  // Assigned one after the other, because spreading costs several times as much before the code is optimized.
  const facts: Facts & Pick<KeylessServer, "key" | "status" | "record"> = { key: "", status, record };
  const id = readId(view) ?? keyFact(mapKey);
  if (id !== undefined) facts.id = id;
  const name = readName(view);
  if (name !== undefined) facts.name = name;
  if (text !== undefined) facts.statusText = text;
  if (gpu !== undefined) facts.gpu = gpu;
  if (gpuModel !== undefined) facts.gpuModel = gpuModel;
  if (gpuCount !== undefined) facts.gpuCount = gpuCount;
  const region = readRegion(view);
  if (region !== undefined) facts.region = region;
  if (address !== undefined) facts.address = address;
  if (isPrivateAddress !== undefined) facts.isPrivateAddress = isPrivateAddress;
  if (otherAddresses !== undefined) facts.otherAddresses = otherAddresses;
  return facts;
}

/** The name of an entry in a map of servers; the record's own name takes precedence. */
function keyFact(mapKey: string | undefined): ServerFact | undefined {
  return mapKey === undefined ? undefined : { value: mapKey, source: "(name of the entry)" };
}

/** Facts while they are collected. */
type Facts = { -readonly [K in Exclude<keyof Server, "key">]?: Server[K] };

/** The values at the paths of the user's mapping; fields whose paths don't exist keep what the reader found. */
function readMapped(entry: unknown, mapping: FieldMapping): Facts {
  const facts: Facts = {};
  for (const field of ["id", "name", "gpuModel", "gpuCount", "region"] as const) {
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
function mappedGpu(facts: Facts, gpu: ServerFact | undefined): Facts {
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
