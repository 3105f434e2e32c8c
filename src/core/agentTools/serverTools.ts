import { sanitizeLabel } from "../kernel/foreignText.ts";
import { isRecord } from "../kernel/json.ts";
import type { JsonObject, JsonValue } from "../kernel/json.ts";
import { fieldName } from "../servers/fieldName.ts";
import { modelFacts } from "../servers/modelFacts.ts";
import type { ModelFacts } from "../servers/modelFacts.ts";
import { maskSecretText } from "../servers/secretMask.ts";
import type { Server } from "../servers/server.ts";
import { factEntry, factNames } from "../servers/serverFacts.ts";
import type { ServerSection } from "../servers/tree/rows.ts";
import { inputFacts } from "./toolTable.ts";
import type { ToolInput } from "./toolTable.ts";

/** A tool couldn't do its work. The message is a sentence for the model and the user. */
export class ToolProblem extends Error {}

/** A server with what may be shared about it. */
interface SharedServer {
  readonly section: ServerSection;
  readonly server: Server;
  readonly facts: ModelFacts;
}

/** Lists have thousands of servers, whose records stay the same objects until they change. */
const factsOf = new WeakMap<Server, ModelFacts>();

/** The facts that a model receives about a server: known ones in their expected form, never the record. */
function sharedFacts(server: Server): ModelFacts {
  const facts = factsOf.get(server) ?? modelFacts(server);
  factsOf.set(server, facts);
  return facts;
}

function sharedServers(sections: readonly ServerSection[]): readonly SharedServer[] {
  return sections.flatMap((section) =>
    section.snapshot.servers.map((server) => ({ section, server, facts: sharedFacts(server) })),
  );
}

const summaryFacts = ["status", ...factNames.filter((name) => factEntry(name).model === "list")];

/** The servers that pass all filters, and the state of each list that they come from. */
export function listServers(
  sections: readonly ServerSection[],
  input: ToolInput<"list_servers">,
): JsonObject {
  const all = sharedServers(sections);
  const page = pageOf(
    all.filter(({ facts }) => passes(facts, input)),
    input,
  );
  return {
    servers: page.items.map(({ section, server, facts }) => ({
      profile: section.profileName,
      ...(facts["id"] === undefined && facts["name"] === undefined ? { position: positionOf(server) } : {}),
      ...pick(facts, summaryFacts),
    })),
    ...page.position,
    total: all.length,
    lists: sections.map(listState),
  };
}

/** A page of the matches, their total number, and the offset of the next page, if there is one. */
export function pageOf<T>(
  found: readonly T[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
): { readonly items: readonly T[]; readonly position: JsonObject } {
  const items = found.slice(offset, offset + limit);
  const next = offset + items.length;
  const hasMore = items.length > 0 && next < found.length;
  return { items, position: { matching: found.length, ...(hasMore ? { next } : {}) } };
}

/**
 * Filters look at nothing but the shared facts, so that no sequence of filters can reveal what else a record contains.
 */
function passes(facts: ModelFacts, { state, text = "", ...input }: ToolInput<"list_servers">): boolean {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const all = words.length === 0 ? "" : Object.values(facts).map(fold).join("\n");
  return (
    (state === undefined || facts["status"] === state) &&
    inputFacts.every((name) => fold(facts[name]).includes(input[name]?.trim().toLowerCase() ?? "")) &&
    words.every((word) => all.includes(word))
  );
}

function fold(value: ModelFacts[string] | undefined): string {
  return String(value ?? "").toLowerCase();
}

/** Everything that may be shared about one server. Throws a ToolProblem unless exactly one server is meant. */
export function getServer(sections: readonly ServerSection[], wanted: string): JsonObject {
  const { section, facts } = findServer(sections, wanted);
  return { profile: section.profileName, ...facts, list: listState(section) };
}

/**
 * What is measured on a server that the user watches; otherwise what its record says about GPU usage, with the names of
 * its fields.
 */
export function getGpuUsage(
  sections: readonly ServerSection[],
  wanted: string,
  { gpu }: { gpu(profileName: string, key: string): JsonObject | undefined },
): JsonObject {
  const { section, server, facts } = findServer(sections, wanted);
  const shared = {
    profile: section.profileName,
    ...pick(facts, ["id", "name", "status", "gpu", "gpuCount"]),
  };
  const measured = gpu(section.profileName, server.key);
  if (measured !== undefined) return { ...shared, ...measured };
  const readings = gpuReadings(server.record);
  const note =
    readings.length === 0
      ? "The server's record contains no GPU utilization, and nothing is measured on the server itself. The user can choose “Watch GPU” on the server in the GPU Servers view, or run nvidia-smi or the tool of its vendor on the server."
      : "The values are from the server's record at the time of the list. For live values, the user can choose “Watch GPU” on the server in the GPU Servers view.";
  return {
    ...shared,
    isLive: false,
    note,
    readings,
    list: listState(section),
  };
}

/** The state of a profile's list. A problem is the sentence that the user sees, too. */
export function listState({ profileName, snapshot, host }: ServerSection): JsonObject {
  const { state, servers, listedAt, error, total, hasMore, incomplete, isRestored } = snapshot;
  return {
    profile: profileName,
    state,
    servers: servers.length,
    ...(host === undefined ? {} : { gateway: host }),
    ...(listedAt === undefined ? {} : { listedAt: new Date(listedAt).toISOString() }),
    ...(isRestored === true || (error !== undefined && servers.length > 0) ? { isOutdated: true } : {}),
    ...(total === undefined ? {} : { totalAtGateway: total }),
    ...(hasMore === true ? { hasMore: true } : {}),
    ...(incomplete === undefined ? {} : { incomplete: problemText(incomplete) }),
    ...(error === undefined ? {} : { problem: problemText(error.message) }),
  };
}

/** A sentence that may quote a server: one line, bounded, without secrets. */
export function problemText(text: string): string {
  return sanitizeLabel(maskSecretText(text.slice(0, 4_000)), 500);
}

/** By ID, then by name, then by name regardless of case: the first that finds any server decides. */
function findServer(sections: readonly ServerSection[], wanted: string): SharedServer {
  const name = wanted.trim();
  const all = sharedServers(sections);
  const attempts: readonly ((shared: SharedServer) => boolean)[] = [
    ({ facts }) => facts["id"] === name,
    ({ facts }) => facts["name"] === name,
    ({ facts }) => fold(facts["name"]) === name.toLowerCase(),
    ({ server, facts }) =>
      facts["id"] === undefined && facts["name"] === undefined && positionOf(server) === name,
  ];
  const found = attempts.map((attempt) => all.filter(attempt)).find((servers) => servers.length > 0) ?? [];
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new ToolProblem(only === undefined ? unknownServer(name, sections) : ambiguous(name, found));
}

function unknownServer(name: string, sections: readonly ServerSection[]): string {
  const problems = sections.flatMap(({ snapshot: { error } }) =>
    error === undefined ? [] : [problemText(error.message)],
  );
  return [
    `There is no server “${sanitizeLabel(name, 80)}” in the list. Call list_servers for the IDs.`,
    ...new Set(problems),
  ].join(" ");
}

function ambiguous(name: string, found: readonly SharedServer[]): string {
  const places = found
    .slice(0, 10)
    .map(({ section, facts }) => `${String(facts["id"] ?? "no ID")} (profile ${section.profileName})`);
  return `${found.length} servers are called “${sanitizeLabel(name, 80)}”. Pass the ID or the profile: ${places.join(", ")}.`;
}

/** Servers without ID and name are identified by their position in the list, which is their key. */
function positionOf({ key }: Server): string {
  return /^[\w#-]{1,12}$/.test(key) ? key : "";
}

function pick(facts: ModelFacts, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = facts[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}

const uses =
  "util utilpercent utilization utilizationpercent usage usagepercent load memoryused memoryutil memoryutilpercent " +
  "memoryutilization memused memoryfree memorytotal temp temperature temperaturec power powerdraw powerwatts used free percent";
/** Names of fields, as returned by `fieldName`, that are about GPUs wherever they are. */
const gpuFields = new Set(
  ["gpu", "gpus", "vram", "gpumemory", "gpumem"].flatMap((gpu) => uses.split(" ").map((use) => gpu + use)),
);
/** Names that are about GPUs only inside an object or list of GPUs. */
const innerFields = new Set(uses.split(" ").filter((use) => !/^(?:used|free|percent)$/.test(use)));
const gpuObject = /^(?:gpus?|gpudevices?|gpumetrics|gpustats|accelerators?)$/;
const deepest = 5;
const mostReadings = 64;
const mostItems = 16;

/** The numbers in a record that say how its GPUs are used, each with its place in the record. */
function gpuReadings(record: unknown): readonly JsonObject[] {
  const readings: JsonObject[] = [];
  const walk = (value: unknown, path: string, isGpu: boolean, depth: number): void => {
    if (depth > deepest || readings.length >= mostReadings) return;
    if (Array.isArray(value)) {
      value
        .slice(0, mostItems)
        .forEach((item: unknown, index) => walk(item, `${path}[${index}]`, isGpu, depth + 1));
      return;
    }
    if (!isRecord(value)) return;
    for (const [name, inner] of Object.entries(value)) {
      const known = fieldName(name);
      const place = path === "" ? name : `${path}.${name}`;
      const amount =
        isPlace(place) && (gpuFields.has(known) || (isGpu && innerFields.has(known)))
          ? amountOf(inner)
          : undefined;
      if (amount !== undefined && readings.length < mostReadings)
        readings.push({ field: place, value: amount });
      else walk(inner, place, isGpu || gpuObject.test(known), depth + 1);
    }
  };
  walk(record, "", false, 0);
  return readings;
}

function isPlace(place: string): boolean {
  return /^[\w.[\]-]{1,120}$/.test(place) && maskSecretText(place) === place;
}

function amountOf(value: unknown): JsonValue | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? value : undefined;
  return typeof value === "string" && /^-?\d{1,9}(?:\.\d{1,6})?(?: ?(?:%|[KMG]i?B|W|C|°C))?$/.test(value)
    ? value
    : undefined;
}
