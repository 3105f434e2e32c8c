/**
 * Whether the host of a URL is this machine: 127.0.0.0/8, ::1 or `localhost`. Credentials may be sent there over plain
 * http, so hosts that only look similar don't count (`127.example.com`, `localhost.example.com`). The URL parser has
 * already normalized addresses, so the extension's start doesn't need a library for them.
 */
export function isLoopbackHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, "");
  if (host === "localhost" || host === "::1") return true;
  // The URL parser formats ::ffff:127.0.0.1 in hexadecimal.
  if (/^::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}$/.test(host)) return true;
  return /^127(?:\.\d{1,3}){3}$/.test(host);
}
