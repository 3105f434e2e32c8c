import { isIP } from "node:net";
import { isLoopbackHost } from "../../core/kernel/loopback.ts";

const localNames = /(?:^|\.)(?:localhost|local|internal|intranet|lan|home|corp|private|home\.arpa)\.?$/i;

/**
 * Whether a host can only be somewhere on the public network. A model that names a picture must not make this machine ask
 * its own network. `hostname` is a URL's: addresses in their usual form, IPv6 in brackets. A public name that leads to a
 * private address gets no further than the handshake: no machine there has its certificate.
 */
export function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
  const version = isIP(host);
  if (version === 4) return isPublicIpv4(host);
  if (version === 6) return isPublicIpv6(host);
  return host.replace(/\.$/, "").includes(".") && !localNames.test(host) && !isLoopbackHost(host);
}

function isPublicIpv4(host: string): boolean {
  const [a = 0, b = 0, c = 0] = host.split(".").map(Number);
  if (a === 0 || a === 10 || a === 127 || a >= 224) return false;
  if (a === 100 && b >= 64 && b <= 127) return false;
  if ((a === 169 && b === 254) || (a === 192 && b === 168) || (a === 172 && b >= 16 && b <= 31)) return false;
  return !(a === 192 && b === 0 && c === 0) && !(a === 198 && (b === 18 || b === 19));
}

/** Only what is given out as global unicast, and no form in which an IPv4 address could hide. */
function isPublicIpv6(host: string): boolean {
  return /^[23][0-9a-f]{3}:/.test(host) && !/^(?:2002:|2001:0?:|2001:db8:|64:)/.test(host);
}
