import type { FieldMapping, MappedField } from "../../core/servers/fieldMapping.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { JsonRecord } from "../../core/kernel/json.ts";
import type { Server, ServerFact, ServerStatus } from "../../core/servers/server.ts";
import { readServerAddress } from "./addressFact.ts";
import { readGpu } from "./gpuFact.ts";
import { readGpuText } from "./gpuValue.ts";
import { readId, readName, readRegion } from "./identityFacts.ts";
import { parseIpAddress } from "./ipAddress.ts";
import { followPath } from "./listExtent.ts";
import { RecordView, scalarText } from "./recordView.ts";
import { readStatus, statusWord } from "./statusFact.ts";

/** The facts of a record. The user can map some of them to other places in it. */
type Facts = { -readonly [K in Exclude<keyof Server, "key" | "record">]?: Server[K] };
/** The facts that are needed of every server at once: for keys, for polling, and for notifications. */
type Identity = Pick<Facts, "id" | "name" | "statusText"> & Pick<Server, "status">;
type Details = Omit<Facts, keyof Identity>;

/**
 * A server as read from its entry in the list. GPU, region, and addresses take most of the time, and a first list shows
 * only few of its servers, so these facts are read on first use. A record never changes, so neither do they.
 */
class ListedServer implements Server {
  /** Empty until the list sets it once, because it depends on the other servers. */
  key = "";
  readonly id: ServerFact | undefined;
  readonly name: ServerFact | undefined;
  readonly status: ServerStatus;
  readonly statusText: ServerFact | undefined;
  readonly record: unknown;
  readonly #mapping: FieldMapping;
  #details: Details | undefined;

  constructor({ id, name, status, statusText }: Identity, record: unknown, mapping: FieldMapping) {
    this.id = id;
    this.name = name;
    this.status = status;
    this.statusText = statusText;
    this.record = record;
    this.#mapping = mapping;
  }

  get gpu(): ServerFact | undefined {
    return this.#readDetails().gpu;
  }

  get gpuModel(): ServerFact | undefined {
    return this.#readDetails().gpuModel;
  }

  get gpuCount(): ServerFact | undefined {
    return this.#readDetails().gpuCount;
  }

  get region(): ServerFact | undefined {
    return this.#readDetails().region;
  }

  get address(): ServerFact | undefined {
    return this.#readDetails().address;
  }

  get isPrivateAddress(): boolean | undefined {
    return this.#readDetails().isPrivateAddress;
  }

  get otherAddresses(): readonly string[] | undefined {
    return this.#readDetails().otherAddresses;
  }

  #readDetails(): Details {
    return (this.#details ??= readDetails(this.record, this.#mapping));
  }
}

/**
 * Parses one entry of the list; anything that isn't a record becomes a server about which nothing else is known.
 * @param mapKey The name of the entry if the list is a map.
 */
export function readServer(entry: unknown, mapKey: string | undefined, mapping: FieldMapping): ListedServer {
  const found = isRecord(entry) ? readIdentity(entry, mapKey) : readScalar(entry, mapKey);
  const identity = isEmpty(mapping) ? found : { ...found, ...mappedIdentity(entry, mapping) };
  return new ListedServer(identity, entry, mapping);
}

function isEmpty(mapping: FieldMapping): boolean {
  for (const _name in mapping) return false;
  return true;
}

function readScalar(entry: unknown, mapKey: string | undefined): Identity {
  const text = scalarText(entry);
  return { id: text === undefined ? keyFact(mapKey) : { value: text, source: "" }, status: "unknown" };
}

function readIdentity(record: JsonRecord, mapKey: string | undefined): Identity {
  const view = RecordView.of(record);
  const { status, text } = readStatus(view);
  return { id: readId(view) ?? keyFact(mapKey), name: readName(view), status, statusText: text };
}

/** The name of an entry in a map of servers; the record's own name takes precedence. */
function keyFact(mapKey: string | undefined): ServerFact | undefined {
  return mapKey === undefined ? undefined : { value: mapKey, source: "(name of the entry)" };
}

function readDetails(entry: unknown, mapping: FieldMapping): Details {
  const found = isRecord(entry) ? readRecordDetails(entry) : {};
  return isEmpty(mapping) ? found : { ...found, ...mappedDetails(entry, mapping) };
}

function readRecordDetails(record: JsonRecord): Details {
  const view = RecordView.of(record);
  const { gpu, gpuModel, gpuCount } = readGpu(view);
  const { address, isPrivateAddress, otherAddresses } = readServerAddress(record);
  return { gpu, gpuModel, gpuCount, region: readRegion(view), address, isPrivateAddress, otherAddresses };
}

/** The values at the paths of the user's mapping; fields whose paths don't exist keep what the reader found. */
function mappedIdentity(entry: unknown, mapping: FieldMapping): Facts {
  const facts: Facts = {};
  for (const field of ["id", "name"] as const) {
    const fact = mappedFact(entry, mapping, field);
    if (fact !== undefined) facts[field] = fact;
  }
  const status = mappedFact(entry, mapping, "status");
  if (status !== undefined) {
    facts.statusText = status;
    facts.status = statusWord(status.value);
  }
  return facts;
}

/** Like `mappedIdentity`, for the facts that are read on first use. */
function mappedDetails(entry: unknown, mapping: FieldMapping): Details {
  const facts: Details = {};
  for (const field of ["gpuModel", "gpuCount", "region"] as const) {
    const fact = mappedFact(entry, mapping, field);
    if (fact !== undefined) facts[field] = fact;
  }
  const address = mappedFact(entry, mapping, "address");
  if (address !== undefined) {
    facts.address = address;
    facts.isPrivateAddress = parseIpAddress(address.value)?.isPrivate ?? false;
  }
  return { ...facts, ...mappedGpu(facts, mappedFact(entry, mapping, "gpu")) };
}

/** The GPU text at the user's path, or composed of the model and the count that the user mapped. */
function mappedGpu(facts: Details, gpu: ServerFact | undefined): Details {
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
