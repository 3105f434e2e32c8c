import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import { parseIpAddress } from "./ipAddress.ts";
import type { IpAddress } from "./ipAddress.ts";
import type { JsonRecord, Shape } from "./recordView.ts";
import { shapeOf } from "./recordView.ts";

export interface AddressFacts {
  readonly address?: ServerFact;
  readonly isPrivateAddress?: boolean;
  readonly otherAddresses?: readonly string[];
}

type Claim = "public" | "private" | undefined;

interface Candidate {
  readonly ip: IpAddress;
  readonly path: string;
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
  const { candidates, best } = new AddressSearch(record);
  if (best === undefined) return {};
  const address = { value: best.ip.text, source: best.path };
  return { address, ...(best.isPrivate ? { isPrivateAddress: true } : {}), ...others(best, candidates) };
}

/** All addresses except the best one, without duplicates. */
function others(best: Candidate, candidates: readonly Candidate[]): Pick<AddressFacts, "otherAddresses"> {
  if (candidates.length === 1) return {};
  if (candidates.length === 2) {
    const other = candidates.find((candidate) => candidate !== best);
    return other === undefined || other.ip.text === best.ip.text ? {} : { otherAddresses: [other.ip.text] };
  }
  const ranked = candidates.toSorted((first, next) => next.score - first.score).map(({ ip }) => ip.text);
  const otherAddresses = [...new Set(ranked)].filter((text) => text !== best.ip.text);
  return otherAddresses.length === 0 ? {} : { otherAddresses };
}

/** The addresses of a record. The path to one is assembled only where there is one. */
class AddressSearch {
  candidates: Candidate[] = noCandidates;
  /** The first one with the highest score. */
  best: Candidate | undefined;
  /** The names and indexes from the record to the current value. */
  readonly #steps: (string | number)[] = [];

  constructor(record: unknown) {
    this.#walk(record, false, undefined);
  }

  #walk(value: unknown, isAddress: boolean, claim: Claim): void {
    if (typeof value === "string") {
      if (isAddress) this.#take(value, claim);
      return;
    }
    if (typeof value !== "object" || value === null || this.#steps.length > maxDepth) return;
    if (Array.isArray(value)) this.#walkList(value, isAddress, claim);
    else if (isRecord(value)) this.#walkRecord(value, isAddress, claim);
  }

  #walkList(list: readonly unknown[], isAddress: boolean, claim: Claim): void {
    const length = Math.min(list.length, maxListItems);
    for (let index = 0; index < length; index++) {
      const item = list[index];
      if (item === null || (typeof item !== "object" && !(isAddress && typeof item === "string"))) continue;
      this.#steps.push(index);
      this.#walk(item, isAddress, claim);
      this.#steps.pop();
    }
  }

  #walkRecord(record: JsonRecord, isInAddress: boolean, innerClaim: Claim): void {
    const names = addressNames(shapeOf(record));
    const claim = isInAddress ? (siblingClaim(record, names) ?? innerClaim) : innerClaim;
    const { own } = names;
    for (let at = 0; at < own.length; at++) {
      const field = own[at];
      if (field === undefined) continue;
      const value = record[field.name];
      if (typeof value === "string") {
        const isWanted = (isInAddress || field.isAddress) && !field.isNetwork;
        if (!isWanted || !mayBeAddress(value)) continue;
      } else if (typeof value !== "object" || value === null) continue;
      this.#steps.push(field.name);
      this.#walk(value, isInAddress || field.isAddress, field.claim ?? claim);
      this.#steps.pop();
    }
  }

  #take(text: string, claim: Claim): void {
    const ip = parseIpAddress(text.trim());
    if (ip === undefined) return;
    const isPrivate = claim === "private" || (ip.isPrivate && !(claim === "public" && isCarrierRange(ip)));
    const byClaim = claim === "public" ? 40 : claim === "private" ? -40 : 0;
    const byRange = ip.isPrivate ? -20 : 20;
    const score = byClaim + byRange + (ip.version === 4 ? 10 : 0) - this.#steps.length;
    const candidate = { ip, path: pathOf(this.#steps), isPrivate, score };
    if (this.best === undefined || score > this.best.score) this.best = candidate;
    if (this.candidates === noCandidates) this.candidates = [candidate];
    else this.candidates.push(candidate);
  }
}

const noCandidates: Candidate[] = [];

/** What the names of a record's fields reveal about addresses. */
interface AddressNames {
  /** The fields that may contain the server's own addresses. */
  readonly own: readonly AddressName[];
  /** The fields that may reveal what the addresses next to them are, in the order of the record. */
  readonly siblings: readonly SiblingName[];
}

interface AddressName extends NameMeaning {
  readonly name: string;
  /** `network` next to an address names its network. */
  readonly isNetwork: boolean;
}

interface SiblingName {
  readonly name: string;
  /** The meaning of `true` in this field. */
  readonly ifTrue: Claim;
  readonly isKind: boolean;
}

const knownNames = new WeakMap<Shape, AddressNames>();

function addressNames(shape: Shape): AddressNames {
  let known = knownNames.get(shape);
  if (known === undefined) {
    const { names } = shape;
    const own = names.map((name) => ({
      name,
      isNetwork: name.toLowerCase() === "network",
      ...meaningOf(name),
    }));
    const siblings = names.map((name, at) => siblingName(name, shape.plain[at] ?? ""));
    known = {
      own: own.filter(({ isForeign }) => !isForeign),
      siblings: siblings.filter(({ ifTrue, isKind }) => ifTrue !== undefined || isKind),
    };
    knownNames.set(shape, known);
  }
  return known;
}

/** `"public": true`, `"type": "floating"`, `"ip_description": "Public IPv4"` next to the address. */
function siblingName(name: string, plain: string): SiblingName {
  const isPublic = /^(?:is)?(?:ip)?(?:public|floating|external)(?:ip)?$/.test(plain);
  const isPrivate = /^(?:is)?(?:ip)?(?:private|internal)(?:ip)?$/.test(plain);
  return {
    name,
    ifTrue: isPublic ? "public" : isPrivate ? "private" : undefined,
    isKind: /(?:type|kind|scope|description|category|visibility|label)$/.test(plain),
  };
}

function siblingClaim(record: JsonRecord, { siblings }: AddressNames): Claim {
  for (const { name, ifTrue, isKind } of siblings) {
    const value = record[name];
    if (typeof value === "boolean" && ifTrue !== undefined) {
      return value === (ifTrue === "public") ? "public" : "private";
    }
    if (typeof value === "string" && isKind) {
      const claim = claimOf(value.toLowerCase().replace(/[^a-z]+/g, ""));
      if (claim !== undefined) return claim;
    }
  }
  return undefined;
}

/** A quick check for a dot or a colon near the start, as in every address. */
function mayBeAddress(text: string): boolean {
  return text.length <= 60 && /^\s*[0-9a-f:]{1,4}[.:]/i.test(text);
}

function pathOf(steps: readonly (string | number)[]): string {
  let path = "";
  for (const step of steps) {
    if (typeof step === "number") path += `[${step}]`;
    else path = path === "" ? step : `${path}.${step}`;
  }
  return path;
}

/** 100.64.0.0/10 is what some clouds call public, although it is only reachable through their own network. */
function isCarrierRange(ip: IpAddress): boolean {
  return ip.text.startsWith("100.");
}
