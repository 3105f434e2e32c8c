import { isLoopbackHost } from "../../core/httpAddress.ts";

/**
 * Whether a `Host` header names this machine. A page of another site whose name was made to resolve to 127.0.0.1 still
 * sends its own name here (DNS rebinding).
 */
export function isLoopbackHostHeader(header: string | undefined): boolean {
  const host = /^(\[[^\]]*\]|[^:]*)(?::\d+)?$/.exec(header ?? "")?.[1];
  return host !== undefined && isLoopbackHost(host.toLowerCase());
}
