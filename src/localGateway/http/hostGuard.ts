const loopbackNames: ReadonlySet<string> = new Set(["127.0.0.1", "localhost", "[::1]"]);

/**
 * Whether the request was meant for this machine. A web page that has its own name resolve to 127.0.0.1 would
 * arrive with that name in `Host`.
 */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && loopbackNames.has(host.replace(/:\d+$/, "").toLowerCase());
}

/** Whether the URL points to this machine. */
export function isLoopbackUrl(url: URL): boolean {
  return isLoopbackHost(url.host);
}
