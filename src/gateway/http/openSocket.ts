import { Client } from "./undiciClient.ts";
import { t } from "@vscode/l10n";
import { connect as connectTcp, isIP, Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls } from "node:tls";
import type { SecureContext, TLSSocket } from "node:tls";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ProxyRoute, Route } from "./route.ts";
import {
  connectionFailure,
  failure,
  isCut,
  proxyConnectionFailure,
  proxyCut,
  proxyRefusal,
} from "./transportErrors.ts";
import type { RequestLabel } from "./transportErrors.ts";
import { isGood } from "./transport.ts";
import { describeUntrusted } from "./certificates.ts";

/** Which certificates to trust. */
export interface Trust {
  /** Whether an untrusted certificate ends the connection. */
  readonly isStrict: boolean;
  readonly secureContext: () => SecureContext;
}

/**
 * Opens a socket for HTTP/1.1 to the origin of the URL: directly or through the proxy, with TLS if the scheme requires
 * it. Aborting the signal closes it at once, in whatever state it is.
 */
export async function openSocket(
  label: RequestLabel,
  route: Route,
  trust: Trust,
  signal: AbortSignal,
): Promise<Socket> {
  return dialing(label, route, signal, async (first) => {
    const socket = await reach(first, label, route, trust);
    if (label.url.protocol !== "https:") return socket;
    return secure(socket, label.url, trust, label).catch((error: unknown) => {
      const isBehindProxy = route.proxy !== undefined && error instanceof ServiceError;
      if (isBehindProxy && route.proxy !== undefined && isCut(error.cause)) {
        throw proxyCut(error.cause, route.proxy, label);
      }
      throw error;
    });
  });
}

/** How long a server may take to show that it uses TLS, in milliseconds. */
const handshakeMs = 3_000;

/**
 * Whether a server that was addressed with plain HTTP uses TLS on this port. Nothing of a request is sent. Never
 * rejects.
 */
export async function speaksTls(url: URL, trust: Trust, signal: AbortSignal): Promise<boolean> {
  const secureUrl = new URL(url);
  secureUrl.protocol = "https:";
  // Otherwise, the port would become the default port of https.
  secureUrl.port = url.port === "" ? "80" : url.port;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(handshakeMs)]);
  const label = { method: "GET", url: secureUrl };
  try {
    const socket = await dialing(label, {}, limit, (first) =>
      reach(first, label, {}, trust).then((ready) => shakeHands(ready, secureUrl, trust, label)),
    );
    socket.destroy();
    return true;
  } catch {
    return false;
  }
}

/** Opens a bare socket by the same route: the TLS of the origin itself is left to the caller. */
export async function openBareSocket(
  label: RequestLabel,
  route: Route,
  trust: Trust,
  signal: AbortSignal,
): Promise<Socket> {
  return dialing(label, route, signal, (first) => reach(first, label, route, trust));
}

async function dialing(
  label: RequestLabel,
  route: Route,
  signal: AbortSignal,
  prepare: (first: Socket) => Promise<Socket>,
): Promise<Socket> {
  signal.throwIfAborted();
  const first = dial(route.proxy?.url ?? label.url);
  const abort = (): void => void first.destroy(new Error("aborted"));
  signal.addEventListener("abort", abort);
  try {
    return await prepare(first);
  } catch (error) {
    first.destroy();
    throw error;
  } finally {
    signal.removeEventListener("abort", abort);
  }
}

async function reach(first: Socket, label: RequestLabel, route: Route, trust: Trust): Promise<Socket> {
  if (route.proxy === undefined) {
    await untilReady(first, "connect").catch((error: unknown) => {
      throw connectionFailure(error, label);
    });
    return first;
  }
  const toProxy = await reachProxy(first, route.proxy, label, trust);
  return label.url.protocol === "http:" ? toProxy : openTunnel(toProxy, route.proxy, label);
}

async function reachProxy(
  first: Socket,
  proxy: ProxyRoute,
  label: RequestLabel,
  trust: Trust,
): Promise<Socket> {
  try {
    await untilReady(first, "connect");
  } catch (error) {
    throw proxyConnectionFailure(error, proxy, label);
  }
  return proxy.url.protocol === "https:" ? secure(first, proxy.url, trust, label) : first;
}

function dial(url: URL): Socket {
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  const socket = connectTcp({
    host: bareHost(url),
    port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 60_000,
  });
  // Without its own listener, an error between two states would end the process.
  return socket.on("error", () => undefined);
}

/**
 * Performs the handshake. Node would reject an untrusted certificate by itself, but discards what shows the user whose
 * certificate it was. Its verdict is read here, before a single byte is sent.
 */
async function secure(socket: Socket, url: URL, trust: Trust, label: RequestLabel): Promise<TLSSocket> {
  const secured = await shakeHands(socket, url, trust, label);
  if (secured.authorized || !trust.isStrict) return secured;
  const what = describeUntrusted(secured, url.host);
  secured.destroy();
  throw failure("tls", what, label, { code: String(secured.authorizationError) });
}

/** Performs only the handshake; the caller decides whether the certificate is acceptable. */
export async function shakeHands(
  socket: Socket,
  url: URL,
  trust: Trust,
  label: RequestLabel,
): Promise<TLSSocket> {
  const host = bareHost(url);
  const secured = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : "",
    secureContext: trust.secureContext(),
    ALPNProtocols: ["http/1.1"],
    rejectUnauthorized: false,
  });
  secured.on("error", () => undefined);
  try {
    await untilReady(secured, "secureConnect");
  } catch (error) {
    throw connectionFailure(error, label);
  }
  return secured;
}

function untilReady(socket: Socket, event: "connect" | "secureConnect"): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (finish: () => void) => (): void => {
      socket.off(event, onReady).off("error", onError).off("close", onClose);
      finish();
    };
    const onReady = settle(resolve);
    const onError = (error: Error): void => settle(() => reject(error))();
    const onClose = settle(() => reject(new Error("The connection was closed.")));
    socket.once(event, onReady).once("error", onError).once("close", onClose);
  });
}

/** Without the brackets of an IPv6 address. */
export function bareHost(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** Requests a tunnel to the origin of the URL from the proxy at the other end of the socket (method CONNECT). */
async function openTunnel(socket: Socket, proxy: ProxyRoute, label: RequestLabel): Promise<Socket> {
  const authority = `${label.url.hostname}:${label.url.port || "443"}`;
  const answer = await askForTunnel(socket, proxy, authority).catch((error: unknown) => {
    throw proxyConnectionFailure(error, proxy, label);
  });
  const isOpen = isGood(answer);
  if (isOpen && answer.socket instanceof Socket) return answer.socket;
  answer.socket.destroy();
  if (!isOpen) throw proxyRefusal(answer.statusCode, proxy, label);
  throw failure("proxy", t("The proxy {0} sent an invalid response.", proxy.url.host), label);
}

interface TunnelResponse {
  readonly statusCode: number;
  readonly socket: Duplex;
}

function askForTunnel(socket: Socket, proxy: ProxyRoute, authority: string): Promise<TunnelResponse> {
  const client = new Client(proxy.url, {
    // Deferred, because undici isn't ready for a response during the call.
    connect: (_, callback) => queueMicrotask(() => callback(null, socket)),
    headersTimeout: 0,
  });
  const headers = {
    host: authority,
    "proxy-connection": "keep-alive",
    ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
  };
  return new Promise((resolve, reject) => {
    client.dispatch(
      { method: "CONNECT", path: authority, headers },
      {
        onRequestStart: () => undefined,
        // undici hands over the socket regardless of the status.
        onRequestUpgrade: (_, statusCode, __, tunnel) => resolve({ statusCode, socket: tunnel }),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}
