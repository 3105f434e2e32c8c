/**
 * The cookies of a request, unquoted and not decoded (RFC 6265, section 4.2.1). If several have the same name, the
 * first one that is not empty counts.
 */
export function parseCookies(header: string | undefined): ReadonlyMap<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of (header ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at < 0) continue;
    const name = pair.slice(0, at).trim();
    const value = pair.slice(at + 1).trim();
    if (!cookies.get(name)) cookies.set(name, /^"(.*)"$/.exec(value)?.[1] ?? value);
  }
  return cookies;
}
