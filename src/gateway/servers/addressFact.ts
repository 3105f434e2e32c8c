import { isRecord } from "../../core/kernel/json.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import type { IpAddress } from "./ipAddress.ts";
import { parseIpAddress } from "./ipAddress.ts";

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
