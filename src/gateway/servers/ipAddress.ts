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

/** The address of a host; undefined for any other text, for networks (`10.0.0.0/8`) and for `0.0.0.0`. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length < 2 || text.length > 60) return undefined;
  return text.includes(".") && !text.includes("::") ? parseIpv4(text) : parseIpv6(text);
}

/** Whether the addresses of the network with these three bytes are private, by the text before the last dot. */
const networks = new Map<string, boolean>();
const mostNetworks = 1_000;
/** Without leading zeros, which are left to the longer way. */
const plainNetwork = /^(?:[1-9]\d{0,2}|0)\.(?:[1-9]\d{0,2}|0)\.(?:[1-9]\d{0,2}|0)$/;

/**
 * Servers share few networks, and all hosts of a network with three bytes are in the same range, so the library needs
 * to be asked only once.
 */
function parseIpv4(text: string): IpAddress | undefined {
  const end = text.lastIndexOf(".");
  const network = text.slice(0, end);
  const isPlain = isPlainByte(text, end + 1);
  const known = isPlain ? networks.get(network) : undefined;
  if (known !== undefined) return { text, version: 4, isPrivate: known };
  const parsed = readIpv4(text);
  if (isPlain && parsed !== undefined && plainNetwork.test(network)) {
    if (networks.size >= mostNetworks) networks.clear();
    networks.set(network, parsed.isPrivate);
  }
  return parsed;
}

/** Whether the text ends with a number from 0 to 255 without leading zeros. */
function isPlainByte(text: string, start: number): boolean {
  const length = text.length - start;
  if (length < 1 || length > 3 || (length > 1 && text.charCodeAt(start) === 48)) return false;
  let host = 0;
  for (let at = start; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) return false;
    host = host * 10 + digit;
  }
  return host < 256;
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
