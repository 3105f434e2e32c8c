import ipaddr from "ipaddr.js";

/** An address of a host. */
export interface IpAddress {
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

/**
 * The address of a host; undefined for any other text, for IPv4 networks (`10.0.0.0/8`) and for `0.0.0.0`. Clouds that
 * give a server an IPv6 network of its own (`2001:db8:1:2::/64`) set its first address up.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length < 2 || text.length > 60) return undefined;
  return text.includes(".") && !text.includes("::") ? parseIpv4(text) : parseIpv6(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const [, plain = "", prefix] = ipv4.exec(text) ?? [];
  const [first = 0, second = 0, third = 256, last = 256] = plain.split(".").map(Number);
  if (Math.max(first, second, third, last) > 255) return undefined;
  // Addresses from 224.0.0.0 on are for several hosts, or reserved for future use.
  if (first === 0 || first >= 224 || isNetwork(last, prefix)) return undefined;
  const isPrivate =
    [10, 127].includes(first) ||
    (first === 192 && second === 168) ||
    (first === 172 && second >> 4 === 1) ||
    (first === 169 && second === 254) ||
    // Shared by the customers of a carrier.
    (first === 100 && second >> 6 === 1);
  return { text: `${first}.${second}.${third}.${last}`, version: 4, isPrivate };
}

/** `203.0.113.0/24` is a network, `203.0.113.7/24` a host in it. */
function isNetwork(lastByte: number, prefix: string | undefined): boolean {
  return prefix !== undefined && Number(prefix) <= 24 && lastByte === 0;
}

function parseIpv6(text: string): IpAddress | undefined {
  const [, plain = "", prefix] = ipv6.exec(text) ?? [];
  const isNetwork = prefix !== undefined && plain.endsWith("::");
  const address = isNetwork ? `${plain.toLowerCase()}1` : plain.toLowerCase();
  if (!ipaddr.IPv6.isValid(address)) return undefined;
  const range = ipaddr.process(address).range();
  const isPrivate = privateRanges.has(range);
  if (hostlessRanges.has(range) || (isNetwork && (isPrivate || Number(prefix) < 48))) return undefined;
  return { text: address, version: 6, isPrivate };
}
