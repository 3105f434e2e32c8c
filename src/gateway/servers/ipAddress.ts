export interface IpAddress {
  readonly text: string;
  readonly version: 4 | 6;
  /** In a range that is not reachable from elsewhere. */
  readonly isPrivate: boolean;
}

const ipv4 = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})(?:\/(\d{1,2}))?(?::\d{1,5})?$/;
const ipv6 = /^([0-9a-f]{0,4}(?::[0-9a-f]{0,4}){2,7}(?:\.\d{1,3}){0,3})(?:%\w+)?(?:\/(\d{1,3}))?$/i;

/** The address of a host; undefined for any other text, for networks (`10.0.0.0/8`) and for `0.0.0.0`. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (text.length < 2 || text.length > 60) return undefined;
  return text.includes(".") && !text.includes("::") ? parseIpv4(text) : parseIpv6(text);
}

function parseIpv4(text: string): IpAddress | undefined {
  const match = ipv4.exec(text);
  if (match === null) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = match.slice(1, 5).map(Number);
  if (Math.max(a, b, c, d) > 255 || a === 0 || a >= 224 || isNetwork(d, match[5])) return undefined;
  const isPrivate =
    a === 10 ||
    a === 127 ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && b === 168) ||
    (a === 169 && b === 254) ||
    (a === 100 && b >= 64 && b <= 127);
  return { text: `${a}.${b}.${c}.${d}`, version: 4, isPrivate };
}

/** `203.0.113.0/24` names a network, `203.0.113.7/24` a host in it. */
function isNetwork(lastByte: number, prefix: string | undefined): boolean {
  return prefix !== undefined && Number(prefix) <= 24 && lastByte === 0;
}

function parseIpv6(text: string): IpAddress | undefined {
  const match = ipv6.exec(text);
  const address = match?.[1]?.toLowerCase();
  if (address === undefined || !/[0-9a-f]/.test(address)) return undefined;
  const groups = address.split(":").length;
  if (!address.includes("::") && groups !== 8) return undefined;
  if (address.endsWith("::") && match?.[2] !== undefined) return undefined;
  return { text: address, version: 6, isPrivate: /^(?:f[cd]|fe[89ab]|::1$)/.test(address) };
}
