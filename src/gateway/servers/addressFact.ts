import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { fieldName } from "../../core/servers/fieldName.ts";
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
  /** Whether the value isn't one of this server's own addresses. */
  readonly isForeign: boolean;
  readonly isAddress: boolean;
  /** `v6_network` next to an address contains its network. */
  readonly isNetwork: boolean;
  readonly claim: Claim;
  /** The meaning of `true` in this field for the addresses next to it. */
  readonly ifTrue: Claim;
  /** Whether its text reveals what the addresses next to it are. */
  readonly isKind: boolean;
}

const maxDepth = 7;
const maxListItems = 50;

/** What names of fields contain whose addresses aren't the server's own. */
const foreign = (
  "gateway netmask broadcast nameserver resolver subnet cidr range prefix mask reverse ptr allowed whitelist source " +
  "destination firewall security rule route peer hypervisor ipmi bmc idrac oob managementip managementaddr volume image " +
  "disk snapshot version driver kernel ntp proxy metadataoptions alias userdata history event price backup portmapping"
).split(" ");
const foreignInPlace = /^ilo|dns(?!name)|mac(?!hine)|(?:hostip|env|logs?)$/;
const addressLike = /ip|addr|nic|net|interface|v4|v6|host|endpoint|port|public|private|nat|eip/;
const publicLike = /public|external|floating|elastic|eip|natip|wan(?!t)|internet(?!work)|mainip/;
const privateLike = /private|internal|local|lan(?!g)|vpc|intranet|inner|tailscale|wireguard|podip|clusterip/;

const meanings = new Map<string, NameMeaning>();
/** Names are remembered, but not those of an endless record. */
const mostMeanings = 5_000;

function meaningOf(name: string): NameMeaning {
  const known = meanings.get(name);
  if (known !== undefined) return known;
  if (meanings.size >= mostMeanings) meanings.clear();
  const plain = fieldName(name);
  const meaning = {
    isForeign: foreignInPlace.test(plain) || foreign.some((word) => plain.includes(word)),
    isAddress: addressLike.test(plain),
    isNetwork: /network$/.test(plain),
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

function claimOf(text: string): Claim {
  if (privateLike.test(text)) return "private";
  return publicLike.test(text) ? "public" : undefined;
}

/**
 * The address at which the server is reached: addresses labeled as public before those that merely look public, IPv4
 * before IPv6. A private one is used only if there is no other, and is marked.
 */
export function readServerAddress(record: unknown): AddressFacts {
  const candidates: Candidate[] = [];
  walk(record, { path: "", depth: 0, isAddress: false, claim: undefined }, candidates);
  const [best, ...rest] = candidates.toSorted((first, next) => next.score - first.score);
  if (best === undefined) return {};
  const others = [...new Set(rest.map(({ ip }) => ip.text))].filter((text) => text !== best.ip.text);
  return {
    address: { value: best.ip.text, source: best.path },
    ...(best.isPrivate ? { isPrivateAddress: true } : {}),
    ...(others.length === 0 ? {} : { otherAddresses: others }),
  };
}

/** The way to a value of the record. */
interface Place {
  readonly path: string;
  readonly depth: number;
  /** Whether the name of a field on the way is one of an address. */
  readonly isAddress: boolean;
  readonly claim: Claim;
}

function walk(value: unknown, place: Place, candidates: Candidate[]): void {
  const { path, depth, isAddress } = place;
  if (typeof value === "string") return isAddress ? take(value, place, candidates) : undefined;
  if (typeof value !== "object" || value === null || depth > maxDepth) return;
  if (Array.isArray(value)) {
    const items: readonly unknown[] = value.length > maxListItems ? value.slice(0, maxListItems) : value;
    for (const [index, item] of items.entries())
      walk(item, { ...place, path: `${path}[${index}]`, depth: depth + 1 }, candidates);
    return;
  }
  if (!isRecord(value)) return;
  const claim = isAddress ? (siblingClaim(value) ?? place.claim) : place.claim;
  for (const name of Object.keys(value)) {
    const inner = value[name];
    const isText = typeof inner === "string";
    if (!isText && (typeof inner !== "object" || inner === null)) continue;
    const meaning = meaningOf(name);
    if (meaning.isForeign) continue;
    if (isText && (meaning.isNetwork || !(isAddress || meaning.isAddress) || !mayBeAddress(inner))) continue;
    const below = {
      path: path === "" ? name : `${path}.${name}`,
      depth: depth + 1,
      isAddress: isAddress || meaning.isAddress,
      claim: meaning.claim ?? claim,
    };
    walk(inner, below, candidates);
  }
}

function take(text: string, { path, depth, claim }: Place, candidates: Candidate[]): void {
  const ip = parseIpAddress(text.trim());
  if (ip === undefined) return;
  const isPrivate = claim === "private" || (ip.isPrivate && !(claim === "public" && isCarrierRange(ip)));
  const byClaim = claim === "public" ? 40 : claim === "private" ? -40 : 0;
  const byRange = ip.isPrivate ? -20 : 20;
  candidates.push({ ip, path, isPrivate, score: byClaim + byRange + (ip.version === 4 ? 10 : 0) - depth });
}

function siblingClaim(record: JsonRecord): Claim {
  for (const name of Object.keys(record)) {
    const { ifTrue, isKind } = meaningOf(name);
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

/** 100.64.0.0/10 is what some clouds call public, although it is only reachable through their own network. */
function isCarrierRange(ip: IpAddress): boolean {
  return ip.text.startsWith("100.");
}
