import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldMapping.ts";
import type { ServerFact } from "../../core/servers/server.ts";
import { parseIpAddress } from "./ipAddress.ts";
import type { IpAddress } from "./ipAddress.ts";

interface AddressFacts {
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

/** What a field's name reveals about addresses. */
interface NameMeaning {
  readonly name: string;
  /** Whether the value isn't one of this server's own addresses. */
  readonly isForeign: boolean;
  readonly isAddress: boolean;
  /** `network` next to an address names its network. */
  readonly isNetwork: boolean;
  readonly claim: Claim;
  /** The meaning of `true` in this field for the addresses next to it. */
  readonly ifTrue: Claim;
  /** Whether its text reveals what the addresses next to it are. */
  readonly isKind: boolean;
}

const maxDepth = 7;
const maxListItems = 50;

const foreign =
  /gateway|netmask|broadcast|nameserver|resolver|subnet|cidr|range|prefix|mask|reverse|ptr|allowed|whitelist|source|destination|firewall|security|rule|route|peer|hostip$|hypervisor|ipmi|bmc|idrac|\bilo|oob|management(?:ip|addr)|volume|image|disk|snapshot|version|driver|kernel|dns(?!name)|ntp|proxy|metadataoptions|mac(?!hine)|alias|userdata|env$|history|event|logs?$|price|backup|portmapping/;
const addressLike = /ip|addr|nic|net|interface|v4|v6|host|endpoint|port|public|private|nat|eip/;
const publicLike = /public|external|floating|elastic|eip|natip|wan(?!t)|internet(?!work)|mainip/;
const privateLike = /private|internal|local|lan(?!g)|vpc|intranet|inner|tailscale|wireguard|podip|clusterip/;

const meanings = new Map<string, NameMeaning>();
const mostMeanings = 5_000;

function meaningOf(name: string): NameMeaning {
  const known = meanings.get(name);
  if (known !== undefined) return known;
  if (meanings.size >= mostMeanings) meanings.clear();
  const plain = fieldName(name);
  const meaning = {
    name,
    isForeign: foreign.test(plain),
    isAddress: addressLike.test(plain),
    isNetwork: name.toLowerCase() === "network",
    claim: claimOf(plain),
    ...siblingMeaning(plain),
  };
  meanings.set(name, meaning);
  return meaning;
}

/** `"public": true`, `"type": "floating"`, `"ip_description": "Public IPv4"` next to the address. */
function siblingMeaning(plain: string): Pick<NameMeaning, "ifTrue" | "isKind"> {
  const isPublic = /^(?:is)?(?:ip)?(?:public|floating|external)(?:ip)?$/.test(plain);
  const isPrivate = /^(?:is)?(?:ip)?(?:private|internal)(?:ip)?$/.test(plain);
  return {
    ifTrue: isPublic ? "public" : isPrivate ? "private" : undefined,
    isKind: /(?:type|kind|scope|description|category|visibility|label)$/.test(plain),
  };
}

/** The fields of the last record at a place, by position. The next record there nearly always has the same ones. */
interface KnownFields {
  readonly fields: KnownField[];
}

interface KnownField extends KnownFields {
  readonly meaning: NameMeaning;
}

/** The fields of the entries of a list. */
let knownEntry: KnownFields = { fields: [] };
/** How many fields were remembered since the first one that still is. */
let rememberedCount = 0;
/** Objects with more fields are rare, as are records with so many different ones, and what is known must stay small. */
const mostKnown = 200;
const mostRemembered = 10_000;

function fieldAt({ fields }: KnownFields, at: number, name: string): KnownField {
  const known = fields[at];
  if (known?.meaning.name === name) return known;
  const field = { meaning: meaningOf(name), fields: [] };
  if (at < mostKnown && rememberedCount < mostRemembered) {
    fields[at] = field;
    rememberedCount++;
  }
  return field;
}

/** What is known for the next record. */
function knownForRecord(): KnownFields {
  if (rememberedCount < mostRemembered) return knownEntry;
  rememberedCount = 0;
  return (knownEntry = { fields: [] });
}

function claimOf(text: string): Claim {
  if (privateLike.test(text)) return "private";
  return publicLike.test(text) ? "public" : undefined;
}

/**
 * The address at which the server is reached: addresses labeled as public before those that merely look public, IPv4
 * before IPv6. A private one is used only if there is no other, and is marked.
 */
export function readServerAddress(record: unknown): AddressFacts {
  const { candidates, best } = new AddressSearch(record);
  if (best === undefined) return {};
  const address = { value: best.ip.text, source: best.path };
  const otherAddresses = others(best, candidates);
  if (!best.isPrivate) return otherAddresses === undefined ? { address } : { address, otherAddresses };
  return {
    ...{ address, isPrivateAddress: true },
    ...(otherAddresses === undefined ? {} : { otherAddresses }),
  };
}

/** All addresses except the best one, without duplicates. */
function others(best: Candidate, candidates: readonly Candidate[]): readonly string[] | undefined {
  if (candidates.length === 1) return undefined;
  if (candidates.length === 2) {
    const other = candidates[0] === best ? candidates[1] : candidates[0];
    return other === undefined || other.ip.text === best.ip.text ? undefined : [other.ip.text];
  }
  const ranked = candidates.toSorted((first, next) => next.score - first.score).map(({ ip }) => ip.text);
  const otherAddresses = [...new Set(ranked)].filter((text) => text !== best.ip.text);
  return otherAddresses.length === 0 ? undefined : otherAddresses;
}

/** The addresses of a record. The path to one is assembled only where there is one. */
class AddressSearch {
  candidates: Candidate[] = noCandidates;
  /** The first one with the highest score. */
  best: Candidate | undefined;
  /** The names and indexes from the record to the current value. */
  readonly #steps: (string | number)[] = [];

  constructor(record: unknown) {
    this.#walk(record, knownForRecord(), false, undefined);
  }

  #walk(value: unknown, place: KnownFields, isAddress: boolean, claim: Claim): void {
    if (typeof value === "string") {
      if (isAddress) this.#take(value, claim);
      return;
    }
    if (typeof value !== "object" || value === null || this.#steps.length > maxDepth) return;
    if (Array.isArray(value)) this.#walkList(value, place, isAddress, claim);
    else if (isRecord(value)) this.#walkRecord(value, place, isAddress, claim);
  }

  #walkList(list: readonly unknown[], place: KnownFields, isAddress: boolean, claim: Claim): void {
    const length = Math.min(list.length, maxListItems);
    for (let index = 0; index < length; index++) {
      const item = list[index];
      if (item === null || (typeof item !== "object" && !(isAddress && typeof item === "string"))) continue;
      this.#steps.push(index);
      this.#walk(item, place, isAddress, claim);
      this.#steps.pop();
    }
  }

  #walkRecord(record: JsonRecord, known: KnownFields, isInAddress: boolean, innerClaim: Claim): void {
    const claim = isInAddress ? (siblingClaim(record, known) ?? innerClaim) : innerClaim;
    let at = 0;
    // Reading a value within this loop costs several times less than by a name from elsewhere.
    for (const name in record) {
      const value = record[name];
      const field = fieldAt(known, at++, name);
      const { meaning } = field;
      if (meaning.isForeign) continue;
      if (typeof value === "string") {
        const isWanted = (isInAddress || meaning.isAddress) && !meaning.isNetwork;
        if (!isWanted || !mayBeAddress(value)) continue;
      } else if (typeof value !== "object" || value === null) continue;
      this.#steps.push(name);
      this.#walk(value, field, isInAddress || meaning.isAddress, meaning.claim ?? claim);
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

function siblingClaim(record: JsonRecord, known: KnownFields): Claim {
  let at = 0;
  for (const name in record) {
    const { ifTrue, isKind } = fieldAt(known, at++, name).meaning;
    if (ifTrue === undefined && !isKind) continue;
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
  if (text.length > 60) return false;
  // Most addresses are seen without the expression, which costs more.
  const isDotted = text.charCodeAt(2) === dot || text.charCodeAt(3) === dot;
  return (isDotted && isDigit(text.charCodeAt(0))) || /^\s*[0-9a-f:]{1,4}[.:]/i.test(text);
}

const dot = 46;

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
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
