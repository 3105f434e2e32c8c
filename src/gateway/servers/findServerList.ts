import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
import { readServerAddress } from "./addressFact.ts";
import { readGpu } from "./gpuFact.ts";
import { readFieldFact } from "./fieldFacts.ts";
import type { PathStep } from "./listPath.ts";
import { RecordView, fieldNames } from "./recordView.ts";
import { readStatus } from "./statusFact.ts";

interface ServerListScore {
  /** From 0 (nothing like a server) to 12. */
  readonly score: number;
  /** Whether there is a state, an address or a GPU, which a mere group of servers doesn't have. */
  readonly isStrong: boolean;
}

const hardware = fieldNames(
  "cpu cpus vcpu vcpus cpucount vcpucount memory ram cores specs os flavor".split(" "),
);

/** How much these entries look like servers, on average. */
export function serverListScore(entries: readonly unknown[]): ServerListScore {
  if (entries.length === 0) return { score: 0, isStrong: false };
  const each = entries.map(elementScore);
  const score = each.reduce((sum, one) => sum + one.score, 0) / each.length;
  return { score, isStrong: each.filter(({ isStrong }) => isStrong).length * 2 >= each.length };
}

function elementScore(entry: unknown): ServerListScore {
  if (!isRecord(entry)) return { score: 0, isStrong: false };
  const view = new RecordView(entry);
  const hasId = readFieldFact(view, "id") !== undefined;
  const hasStatus = readStatus(view).text !== undefined;
  const hasAddress = readServerAddress(entry).address !== undefined;
  const hasGpu = readGpu(view).gpu !== undefined;
  const evidence = [
    hasId ? 3 : 0,
    readFieldFact(view, "name") === undefined ? 0 : 2,
    hasStatus ? 3 : 0,
    hasAddress ? 3 : 0,
    hasGpu ? 3 : 0,
    readFieldFact(view, "region") === undefined ? 0 : 1,
    view.find(hardware) === undefined ? 0 : 1,
  ];
  const score = evidence.reduce((sum, one) => sum + one, 0);
  return { score: Math.min(12, score), isStrong: hasStatus || hasAddress || hasGpu };
}

/** What the name of a list reveals about its content. */
type ListName = "servers" | "neutral" | "unknown" | "other";

const wrapping =
  /(?:list|set|array|collection|response|results?|details?|info|infos|data|items|inventory|page)$/;
const servers =
  /(?:server|instance|machine|node|pod|device|droplet|linode|host|container|baremetal|worker|appliance|workstation|vm|rental|lease)(?:e?s|z)?$/;
const neutral = new Set(
  "data items item list lists records record rows row result results value values content contents entries entry elements objects resources resource output body payload response edges nodes docs hits collection members member embedded page all".split(
    " ",
  ),
);
/** What other lists contain, in the singular. */
const other = (
  "image volume disk drive snapshot network subnet vpc router interface nic port group firewall rule " +
  "region zone location datacenter facilit site project user account tenant organisation organization team " +
  "key keypair tag label link error warning message notice event action job task flavor plan size shape " +
  "type price pricing billing invoice quota limit permission role filter column field header meta metadata " +
  "pagination paging included backup template iso certificate balancer ip address dns feature capabilit " +
  "metric alert log gpu storage partition param option setting detail condition"
).split(" ");
const endings = ["", "s", "es", "y", "ies"];

function isOther(plain: string): boolean {
  const stems = endings.flatMap((ending) =>
    plain.endsWith(ending) ? [plain.slice(0, plain.length - ending.length)] : [],
  );
  return stems.some((stem) => other.some((word) => stem.endsWith(word)));
}

/** Classifies the name of a list or map; the root has none and counts as neutral. */
function listName(name: string | undefined): ListName {
  if (name === undefined) return "neutral";
  const plain = fieldName(name);
  if (neutral.has(plain) && plain !== "nodes") return "neutral";
  const core = plain.replace(wrapping, "");
  if (servers.test(core === "" ? plain : core) || servers.test(plain)) return "servers";
  return isOther(plain) ? "other" : "unknown";
}

/** A list or map that may contain the servers. */
interface ListCandidate {
  readonly steps: readonly PathStep[];
  readonly score: number;
  readonly isEmpty: boolean;
}

/** Number of entries that are examined to rate a list; the rest is read only if the list is selected. */
const sampleSize = 12;
const maxSteps = 7;
const maxNames = 60;
const nameScores: Readonly<Record<ListName, number>> = { servers: 6, neutral: 3, unknown: 0, other: -8 };

/** Parts of an envelope that never contain servers. */
const closed = new Set("warning warnings error errors links meta pagination paging included".split(" "));

/** A location in the response with samples of its content. */
interface Location {
  readonly steps: readonly PathStep[];
  readonly name: string | undefined;
  readonly values: readonly unknown[];
}

/**
 * Finds the list of servers in a response of any shape: every list and every map is rated by its name, its depth and
 * how much its entries look like servers. Undefined if there is no candidate.
 */
export function findServerList(document: unknown): ListCandidate | undefined {
  const candidates: ListCandidate[] = [];
  explore({ steps: [], name: undefined, values: [document] }, candidates);
  return candidates.reduce<ListCandidate | undefined>(
    (best, next) => (best === undefined || next.score > best.score ? next : best),
    undefined,
  );
}

function explore(location: Location, candidates: ListCandidate[]): void {
  if (location.steps.length > maxSteps) return;
  const lists = location.values.filter((value) => Array.isArray(value));
  const records = location.values.filter(isRecord);
  if (lists.length > 0) exploreLists(location, lists, candidates);
  else if (records.length > 0) exploreRecords(location, records, candidates);
  else if (location.values.every((value) => value === null)) offerNothing(location, candidates);
}

function exploreLists(
  location: Location,
  lists: readonly (readonly unknown[])[],
  candidates: ListCandidate[],
): void {
  const steps: readonly PathStep[] = [...location.steps, { each: "list" }];
  const values = lists.flatMap((list) => list.slice(0, sampleSize)).slice(0, sampleSize);
  if (values.length > 0 && values.every((value) => Array.isArray(value))) {
    explore({ steps, name: location.name, values }, candidates);
    return;
  }
  const listScore = serverListScore(values);
  offer({ ...location, steps, values }, listScore, candidates);
  const records = values.filter(isRecord);
  if (!isServers(listScore) && records.length > 0) exploreFields(steps, records, candidates);
}

/** Entries with a state, an address or a GPU are servers, so anything nested in them belongs to them. */
function isServers({ score, isStrong }: ServerListScore): boolean {
  return isStrong && score >= 5;
}

function exploreRecords(
  location: Location,
  records: readonly Readonly<Record<string, unknown>>[],
  candidates: ListCandidate[],
): void {
  if (exploreMap(location, records, candidates)) return;
  exploreFields(location.steps, records, candidates);
}

/**
 * A map of servers by ID or name, or of groups of servers by zone. Returns whether it is certainly a list of servers.
 */
function exploreMap(
  location: Location,
  records: readonly Readonly<Record<string, unknown>>[],
  candidates: ListCandidate[],
): boolean {
  const steps: readonly PathStep[] = [...location.steps, { each: "map" }];
  const all = records.flatMap((record) => Object.entries(record));
  const entries = all.slice(0, 200).filter(([, value]) => typeof value === "object" && value !== null);
  if (all.length === 0) offerNothing(location, candidates);
  const isMap = entries.length > 0 && entries.every(([name]) => isEntryName(name));
  if (!isMap) return false;
  const values = entries.map(([, value]) => value).slice(0, sampleSize);
  if (values.every(isRecord) && !values.some(hasServers)) {
    const listScore = serverListScore(values);
    const isNamed = listName(location.name) === "servers" && listScore.score >= 2;
    if (listScore.score >= 5 || isNamed) offer({ ...location, steps, values }, listScore, candidates);
    if (isServers(listScore)) return true;
  }
  const isData = entries.every(([name]) => /[^A-Za-z_]/.test(name));
  if (entries.length * 2 >= all.length && isData) {
    explore({ steps, name: location.name, values: entries.map(([, value]) => value) }, candidates);
  }
  return isData;
}

/** `{"data": {"myself": {"id": …, "pods": […]}}}`: what has a list of servers is their owner. */
function hasServers(record: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(record).some(([name, inner]) => {
    const isList = Array.isArray(inner) || (isRecord(inner) && Object.values(inner).some(Array.isArray));
    return isList && owned.test(fieldName(name).replace(wrapping, ""));
  });
}

const owned = /^(?:gpu)?(?:server|instance|machine|pod|vm|droplet|linode|rental|lease)s?$/;

/** Names of envelope parts aren't names of servers. */
function isEntryName(name: string): boolean {
  const plain = fieldName(name);
  if (/^(?:attributes|properties|spec|status|metadata|meta|links|error|errors|pagination)$/.test(plain))
    return false;
  return !/^[a-z_]+$/i.test(name) || listName(name) === "unknown";
}

function exploreFields(
  steps: readonly PathStep[],
  records: readonly Readonly<Record<string, unknown>>[],
  candidates: ListCandidate[],
): void {
  const names = new Set(records.flatMap((record) => Object.keys(record).slice(0, maxNames)));
  for (const name of [...names].slice(0, maxNames * 2)) {
    if (closed.has(fieldName(name))) continue;
    const values = records.map((record) => record[name]).filter((value) => typeof value === "object");
    if (values.length > 0) explore({ steps: [...steps, { field: name }], name, values }, candidates);
  }
}

function offer(location: Location, listScore: ServerListScore, candidates: ListCandidate[]): void {
  const name = listName(location.name);
  const isEmpty = location.values.length === 0;
  const isNameless = name === "unknown" || name === "other";
  // The ports, disks or GPUs of each entry aren't servers, whatever they look like.
  if (name === "other" && location.steps.slice(0, -1).some((step) => "each" in step)) return;
  if (isNameless && !isEmpty && !location.values.every(isRecord)) return;
  if (isEmpty && isNameless) {
    if (name === "unknown" && location.steps.length <= 3) {
      candidates.push({ steps: location.steps, score: 0.1, isEmpty });
    }
    return;
  }
  const score = listScore.score + nameScores[name] + 0.5 - depthCost(location.steps);
  if (score > 0) candidates.push({ steps: location.steps, score, isEmpty });
}

/** Each field after the first counts 1; each list or map on the path to the last one counts 3. */
function depthCost(steps: readonly PathStep[]): number {
  const fields = steps.filter((step) => "field" in step).length;
  return Math.max(0, fields - 1) + 3 * Math.max(0, steps.length - fields - 1);
}

/** `null` and `{}` in place of a list mean an empty one. */
function offerNothing(location: Location, candidates: ListCandidate[]): void {
  const name = listName(location.name);
  if (name === "unknown" || name === "other") return;
  const steps: readonly PathStep[] = [...location.steps, { each: "list" }];
  candidates.push({ steps, score: nameScores[name] - depthCost(steps), isEmpty: true });
}
