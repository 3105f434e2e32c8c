import ipaddr from "ipaddr.js";
import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import type { ServerFact } from "../../core/servers/server.ts";

interface IpAddress {
  readonly text: string;
  readonly version: 4 | 6;
  /** In a range that is not reachable from outside. */
  readonly isPrivate: boolean;
}

/** Address ranges that can't be reached from other networks. */
const privateRanges: ReadonlySet<string> = new Set(
  "private loopback linkLocal carrierGradeNat uniqueLocal".split(" "),
);
/** Address ranges that aren't assigned to hosts. */
const hostlessRanges: ReadonlySet<string> = new Set(["unspecified", "multicast", "broadcast"]);

const ipv4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?:\/(\d{1,2}))?(?::\d{1,5})?$/;
const ipv6 = /^([0-9a-f:]{2,40}(?:\.\d{1,3}){0,3})(?:%\w+)?(?:\/(\d{1,3}))?$/i;

/** The address of a host; undefined for any other text, for networks (`10.0.0.0/8`) and for `0.0.0.0`. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length < 2 || text.length > 60) return undefined;
  return text.includes(".") && !text.includes("::") ? parseIpv4(text) : parseIpv6(text);
}

/** What is known of the addresses of the network with these three bytes, except its first and last one. */
const networks = new Map<string, boolean>();
const mostNetworks = 1_000;
/** Without leading zeros, which are left to the longer way. */
const plainIpv4 = /^((?:[1-9]\d{0,2}|0)\.(?:[1-9]\d{0,2}|0)\.(?:[1-9]\d{0,2}|0))\.([1-9]\d{0,2})$/;

/** Servers share few networks, and all hosts of one are in the same range: the library needs to be asked only once. */
function parseIpv4(text: string): IpAddress | undefined {
  const [, network, host] = plainIpv4.exec(text) ?? [];
  const isHost = network !== undefined && Number(host) < 255;
  const known = isHost ? networks.get(network) : undefined;
  if (known !== undefined) return { text, version: 4, isPrivate: known };
  const parsed = readIpv4(text);
  if (isHost && parsed !== undefined) {
    if (networks.size >= mostNetworks) networks.clear();
    networks.set(network, parsed.isPrivate);
  }
  return parsed;
}

function readIpv4(text: string): IpAddress | undefined {
  const [, plain, prefix] = ipv4.exec(text) ?? [];
  const octets = plain?.split(".").map(Number) ?? [];
  if (plain === undefined || Math.max(...octets) > 255) return undefined;
  const [first = 0, , , last = 0] = octets;
  const address = new ipaddr.IPv4(octets);
  const range = address.range();
  // Addresses from 240.0.0.0 on are reserved for future use.
  if (first >= 240 || hostlessRanges.has(range) || isNetwork(last, prefix)) return undefined;
  return { text: address.toString(), version: 4, isPrivate: privateRanges.has(range) };
}

/** `203.0.113.0/24` is a network, `203.0.113.7/24` a host in it. */
function isNetwork(lastByte: number, prefix: string | undefined): boolean {
  return prefix !== undefined && Number(prefix) <= 24 && lastByte === 0;
}

function parseIpv6(text: string): IpAddress | undefined {
  const [, plain, prefix] = ipv6.exec(text) ?? [];
  const address = plain?.toLowerCase();
  if (address === undefined || !ipaddr.IPv6.isValid(address)) return undefined;
  if (address.endsWith("::") && prefix !== undefined) return undefined;
  const range = ipaddr.process(address).range();
  if (hostlessRanges.has(range)) return undefined;
  return { text: address, version: 6, isPrivate: privateRanges.has(range) };
}

export interface AddressFacts {
  readonly address?: ServerFact;
  readonly isPrivateAddress?: boolean;
  readonly otherAddresses?: readonly string[];
}

type Claim = "public" | "private" | undefined;

interface Candidate {
  readonly ip: IpAddress;
  readonly location: Location;
  readonly score: number;
  readonly isPrivate: boolean;
}

/** What a field's name reveals about addresses in it. */
interface NameMeaning {
  /** Whether the value isn't one of this server's own addresses. */
  readonly isForeign: boolean;
  readonly isAddress: boolean;
  readonly claim: Claim;
}

const maxDepth = 7;
const maxListItems = 50;

const foreign =
  /gateway|netmask|broadcast|nameserver|resolver|subnet|cidr|range|prefix|mask|reverse|ptr|allowed|whitelist|source|destination|firewall|security|rule|route|peer|hostip$|hypervisor|ipmi|bmc|idrac|\bilo|oob|management(?:ip|addr)|volume|image|disk|snapshot|version|driver|kernel|dns(?!name)|ntp|proxy|metadataoptions|mac(?!hine)|alias|userdata|env$|history|event|logs?$|price|backup|portmapping/;
const addressLike = /ip|addr|nic|net|interface|v4|v6|host|endpoint|port|public|private|nat|eip/;
const publicLike = /public|external|floating|elastic|eip|natip|wan(?!t)|internet(?!work)|mainip/;
const privateLike = /private|internal|local|lan(?!g)|vpc|intranet|inner|tailscale|wireguard|podip|clusterip/;

const modalities = new Map<string, NameMeaning>();

function meaningOf(name: string): NameMeaning {
  const known = modalities.get(name);
  if (known !== undefined) return known;
  if (modalities.size > 5_000) modalities.clear();
  const plain = fieldName(name);
  const modality = {
    isForeign: foreign.test(plain),
    isAddress: addressLike.test(plain),
    claim: claimOf(plain),
  };
  modalities.set(name, modality);
  return modality;
}

function claimOf(text: string): Claim {
  if (privateLike.test(text)) return "private";
  return publicLike.test(text) ? "public" : undefined;
}

/**
 * The address at which the server is reached: addresses labeled as public before those that merely look public, IPv4
 * before IPv6. A private one is used only if there is no other, and is marked.
 */
export function readAddress(record: unknown): AddressFacts {
  const candidates: Candidate[] = [];
  walk(record, { outer: undefined, step: "", depth: 0, isAddress: false, claim: undefined }, candidates);
  const best = candidates.reduce<Candidate | undefined>(
    (first, next) => (first === undefined || next.score > first.score ? next : first),
    undefined,
  );
  if (best === undefined) return {};
  const address = { value: best.ip.text, source: pathOf(best.location) };
  return { address, ...(best.isPrivate ? { isPrivateAddress: true } : {}), ...others(best, candidates) };
}

/** All addresses except the best one, without duplicates. */
function others(best: Candidate, candidates: readonly Candidate[]): Pick<AddressFacts, "otherAddresses"> {
  if (candidates.length === 1) return {};
  const ranked = candidates.toSorted((first, next) => next.score - first.score).map(({ ip }) => ip.text);
  const otherAddresses = [...new Set(ranked)].filter((text) => text !== best.ip.text);
  return otherAddresses.length === 0 ? {} : { otherAddresses };
}

/** The current position of the walk. The path is assembled only for the few positions that contain an address. */
interface Location {
  readonly outer: Location | undefined;
  readonly step: string | number;
  readonly depth: number;
  readonly isAddress: boolean;
  readonly claim: Claim;
}

function walk(value: unknown, location: Location, found: Candidate[]): void {
  if (typeof value === "string") {
    if (location.isAddress) take(value, location, found);
    return;
  }
  if (typeof value !== "object" || value === null || location.depth > maxDepth) return;
  if (Array.isArray(value)) {
    const length = Math.min(value.length, maxListItems);
    for (let index = 0; index < length; index++) {
      const item: unknown = value[index];
      if (item === null || typeof item === "number") continue;
      const { depth, isAddress, claim } = location;
      walk(item, { outer: location, step: index, depth: depth + 1, isAddress, claim }, found);
    }
    return;
  }
  if (isRecord(value)) walkRecord(value, location, found);
}

function walkRecord(record: Readonly<Record<string, unknown>>, location: Location, found: Candidate[]): void {
  const claim = location.isAddress ? (siblingClaim(record) ?? location.claim) : location.claim;
  for (const name of Object.keys(record)) {
    const value = record[name];
    if (typeof value === "string" ? !mayBeAddress(name, value) : typeof value !== "object") continue;
    const modality = meaningOf(name);
    if (modality.isForeign) continue;
    walk(
      value,
      {
        outer: location,
        step: name,
        depth: location.depth + 1,
        isAddress: location.isAddress || modality.isAddress,
        claim: modality.claim ?? claim,
      },
      found,
    );
  }
}

/**
 * A quick check for a dot or a colon near the start, as in every address. `network` next to an address names its
 * network.
 */
function mayBeAddress(name: string, text: string): boolean {
  return text.length <= 60 && /^\s*[0-9a-f:]{1,4}[.:]/i.test(text) && name.toLowerCase() !== "network";
}

/** `"public": true`, `"type": "floating"`, `"ip_description": "Public IPv4"` next to the address. */
function siblingClaim(record: Readonly<Record<string, unknown>>): Claim {
  for (const name of Object.keys(record)) {
    const value = record[name];
    const plain = fieldName(name);
    if (typeof value === "boolean" && /^(?:is)?(?:ip)?(?:public|floating|external)(?:ip)?$/.test(plain)) {
      return value ? "public" : "private";
    }
    if (typeof value === "boolean" && /^(?:is)?(?:ip)?(?:private|internal)(?:ip)?$/.test(plain)) {
      return value ? "private" : "public";
    }
    if (
      typeof value === "string" &&
      /(?:type|kind|scope|description|category|visibility|label)$/.test(plain)
    ) {
      const claim = claimOf(value.toLowerCase().replace(/[^a-z]+/g, ""));
      if (claim !== undefined) return claim;
    }
  }
  return undefined;
}

function pathOf({ outer, step }: Location): string {
  if (outer === undefined) return "";
  const before = pathOf(outer);
  if (typeof step === "number") return `${before}[${step}]`;
  return before === "" ? step : `${before}.${step}`;
}

function take(text: string, location: Location, found: Candidate[]): void {
  const { depth, claim } = location;
  const ip = parseIpAddress(text.trim());
  if (ip === undefined) return;
  const isPrivate = claim === "private" || (ip.isPrivate && !(claim === "public" && isCarrierRange(ip)));
  const byClaim = claim === "public" ? 40 : claim === "private" ? -40 : 0;
  const byRange = ip.isPrivate ? -20 : 20;
  found.push({ ip, location, isPrivate, score: byClaim + byRange + (ip.version === 4 ? 10 : 0) - depth });
}

/** 100.64.0.0/10 is what some clouds call public, although it is only reachable through their own network. */
function isCarrierRange(ip: IpAddress): boolean {
  return ip.text.startsWith("100.");
}
