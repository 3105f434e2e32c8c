import type { HttpResponse } from "../http/transport.ts";
import type { Target } from "./target.ts";

/** Asks the address, or another one of the same origin, without any credential. */
export function requestBare(target: Target, url: URL, signal: AbortSignal): Promise<HttpResponse> {
  const { ports, profile } = target;
  return ports.transport.request({
    method: "GET",
    url,
    headers: { accept: "application/json", "user-agent": ports.userAgent },
    signal,
    timeoutMs: ports.stepMs,
    isAuthenticated: false,
    allowInsecureHttp: profile.allowInsecureHttp,
  });
}
