/**
 * Method and URL as they may be shown and logged. Of the query only the names stay: a signature, a nonce and a token
 * travel there (interface sections 5.2 to 5.4), and no reader needs the other values. User info goes too.
 */
export function describeRequest(method: string, url: URL): string {
  return `${method} ${describeUrl(url)}`;
}

/** The URL without query values, user info and fragment. */
export function describeUrl(url: URL): string {
  const names = [...new Set(url.searchParams.keys())].map((name) => encodeURIComponent(name));
  const query = names.length === 0 ? "" : `?${names.join("&")}`;
  return `${url.origin}${url.pathname}${query}`;
}
