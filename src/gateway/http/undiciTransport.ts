import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isLoopbackHost } from "../../core/kernel/httpAddress.ts";
import { caFileVersion, Certificates } from "./certificates.ts";
import type { ReadCertificates } from "./certificates.ts";
import type { Connection } from "./connection.ts";
import { ConnectionPool } from "./connection.ts";
import { decodeBody, readBodyText } from "./decodeBody.ts";
import type { ExchangeHead } from "./httpExchange.ts";
import { HttpExchange } from "./httpExchange.ts";
import { withOwnNetwork } from "./transport.ts";
import type { Trust } from "./openSocket.ts";
import { openSocket, speaksTls } from "./openSocket.ts";
import { followRedirect, maxRedirects, tooManyRedirects } from "./redirects.ts";
import type { Route } from "./route.ts";
import { noteSentTwice } from "./retry.ts";
import { findRoute, routeKey } from "./route.ts";
import type { HttpRequest, HttpResponse, Transport, NetworkSettings } from "./transport.ts";
import {
  connectionFailure,
  failure,
  isConnectionLoss,
  isCut,
  proxyCut,
  proxyRefusal,
  timeoutFailure,
  wrongScheme,
} from "./transportErrors.ts";

/** What all requests of the process have in common. */
export interface TransportOptions {
  /** Called for every request, so a changed setting takes effect with the next request. */
  network(): NetworkSettings;
  /** Sent if the request has none of its own. */
  readonly userAgent: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Trusted issuers; Node's own and the system's unless a test overrides them. */
  readonly readCertificates?: ReadCertificates;
}

/**
 * The sockets of the product, based on undici. Loading this module loads undici, so import it just before the first
 * request.
 */
export function createTransport(options: TransportOptions): Transport {
  return new UndiciTransport(options);
}

/** Everything that determines which sockets a request uses. */
interface Upstream {
  readonly key: string;
  readonly route: Route;
  readonly trust: Trust;
  readonly isVerified: boolean;
  readonly pool: ConnectionPool;
}

/** How an exchange failed before its response started. */
interface ConnectionLoss {
  /** Milliseconds of the `performance` clock. */
  sentMs?: number;
  /** The connection was closed before a single byte of a response was received. */
  isUnanswered?: boolean;
}

/** A server that closes a connection later than this after the request has probably started to process it. */
const longestStaleMs = 5_000;

class UndiciTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #certificates: Certificates;
  /** By origin and profile. */
  readonly #upstreams = new Map<string, Upstream>();

  constructor(options: TransportOptions) {
    this.#options = options;
    this.#certificates = new Certificates(options.readCertificates);
  }

  async request(first: HttpRequest): Promise<HttpResponse> {
    let request = first;
    for (let redirects = 0; redirects <= maxRedirects; redirects++) {
      refuseInsecure(request);
      const response = await this.#send(request);
      const next = readRedirect(request, response);
      if (next === undefined) return response;
      await readBodyText(response.body, 64 * 1024, 1_000);
      request = next;
    }
    throw tooManyRedirects(request);
  }

  async close(): Promise<void> {
    const ways = [...this.#upstreams.values()];
    this.#upstreams.clear();
    await Promise.all(ways.map(({ pool }) => pool.close()));
  }

  /**
   * A kept-alive connection may have been closed while the request was on its way, in which case the request is sent
   * once more, on a new one.
   */
  async #send(request: HttpRequest): Promise<HttpResponse> {
    for (let isFirst = true; ; isFirst = false) {
      request.signal.throwIfAborted();
      const { caFile } = this.#settingsOf(request);
      // Looked up first, so that nothing else happens between finding a pool and using it.
      const issuers = caFile === undefined ? "" : await caFileVersion(caFile);
      const upstream = this.#findUpstream(request, issuers);
      if (request.isOnce === true) upstream.pool.dropIdle();
      const connection = upstream.pool.acquire();
      const isKept = connection.isConnected;
      const loss: ConnectionLoss = {};
      const exchange = this.#dispatch(request, upstream, connection, loss);
      try {
        return createResponse(await exchange.head, request, upstream);
      } catch (error) {
        const tookMs = performance.now() - (loss.sentMs ?? Number.NEGATIVE_INFINITY);
        const isStale = isKept && loss.isUnanswered === true && tookMs < longestStaleMs;
        if (isFirst && isStale && request.isOnce !== true && !request.signal.aborted) {
          upstream.pool.dropIdle();
          continue;
        }
        const failed = await schemeFailure(error, request, upstream);
        if (!isFirst && failed instanceof ServiceError) noteSentTwice(failed);
        throw failed;
      }
    }
  }

  #dispatch(
    request: HttpRequest,
    upstream: Upstream,
    connection: Connection,
    loss: ConnectionLoss,
  ): HttpExchange {
    const { observer } = request;
    const proxy = upstream.route.proxy?.url.origin;
    observer?.onConnection({ isReused: connection.isConnected, ...(proxy === undefined ? {} : { proxy }) });
    const exchange = new HttpExchange({
      signal: request.signal,
      timeoutMs: request.timeoutMs,
      now: () => this.#options.now(),
      onSent: () => {
        loss.sentMs = performance.now();
        observer?.onSent?.();
      },
      onFailed() {
        // Done first, because a connection that is being closed must not serve the next request.
        void connection.destroy();
        upstream.pool.release(connection);
      },
      onFinished: () => upstream.pool.release(connection),
      describeTimeout: (phase) => timeoutFailure(phase, request.timeoutMs, request),
      describeFailure: (error, phase) => {
        loss.isUnanswered = phase === "waiting" && isConnectionLoss(error);
        const cutter = isCut(error) ? upstream.route.proxy : undefined;
        return cutter === undefined ? connectionFailure(error, request) : proxyCut(error, cutter, request);
      },
    });
    connection.dispatch(
      {
        origin: request.url.origin,
        path: requestTarget(request.url, upstream.route),
        method: request.method,
        headers: this.#createHeaders(request, upstream.route),
        body: request.body ?? null,
      },
      exchange,
      async (signal) => {
        const socket = await openSocket(request, upstream.route, upstream.trust, signal);
        observer?.onConnected?.();
        return socket;
      },
    );
    return exchange;
  }

  /**
   * The route according to the current settings; one that is outdated by changed settings is closed after its requests.
   */
  #findUpstream(request: HttpRequest, issuers: string): Upstream {
    const { url, owner } = request;
    const settings = this.#settingsOf(request);
    const route = findRoute(url, settings);
    const generation = owner?.generation ?? 0;
    const key = `${routeKey(route)} ${settings.strictSsl} ${settings.useSystemCertificates} ${generation} ${issuers}`;
    const upstreamKey = `${url.origin} ${owner?.profileName ?? ""}`;
    const known = this.#upstreams.get(upstreamKey);
    if (known?.key === key) return known;
    known?.pool.retire();
    const upstream = this.#createUpstream(url, route, { ...settings, issuers }, key);
    this.#upstreams.set(upstreamKey, upstream);
    return upstream;
  }

  #settingsOf({ owner }: HttpRequest): NetworkSettings {
    return withOwnNetwork(this.#options.network(), owner?.network ?? {});
  }

  /** @param settings Includes the version of the certificate file as `issuers`. */
  #createUpstream(
    url: URL,
    route: Route,
    settings: NetworkSettings & { readonly issuers: string },
    key: string,
  ): Upstream {
    const trust = {
      isStrict: settings.strictSsl,
      secureContext: () => this.#certificates.secureContext(settings, settings.issuers),
    };
    const isEncrypted = url.protocol === "https:" && settings.strictSsl;
    return {
      key,
      route,
      trust,
      isVerified: isEncrypted || isLoopbackHost(url.hostname),
      pool: new ConnectionPool(url.origin, () => this.#options.now()),
    };
  }

  #createHeaders(request: HttpRequest, { proxy }: Route): Record<string, string> {
    const needsAuthorization = proxy?.authorization !== undefined && request.url.protocol === "http:";
    return {
      "user-agent": this.#options.userAgent,
      "accept-encoding": "identity",
      ...request.headers,
      ...(needsAuthorization ? { "proxy-authorization": proxy.authorization ?? "" } : {}),
    };
  }
}

/** A server that expects TLS closes a plain connection, or responds with something other than HTTP. */
async function schemeFailure(error: unknown, request: HttpRequest, upstream: Upstream): Promise<unknown> {
  const isPlain = request.url.protocol === "http:" && upstream.route.proxy === undefined;
  const isOdd =
    error instanceof ServiceError &&
    (error.reason === "malformed" || (error.reason === "unreachable" && isCut(error.cause)));
  if (!isPlain || !isOdd || !(await speaksTls(request.url, upstream.trust, request.signal))) return error;
  return wrongScheme("https", request, error);
}

/** Credentials are never sent unencrypted to another machine unless the profile allows it. */
function refuseInsecure(request: HttpRequest): void {
  const { url, isAuthenticated, allowInsecureHttp } = request;
  if (url.protocol === "https:" || !isAuthenticated || allowInsecureHttp || isLoopbackHost(url.hostname))
    return;
  const what = t(
    "Nothing was sent: plain HTTP would expose the credentials on the way to {0}. Use HTTPS, or set allowInsecureHttp in the profile.",
    url.host,
  );
  throw failure("insecure", what, request);
}

/** The body of a refused redirect is closed, so that it doesn't hold the connection. */
function readRedirect(request: HttpRequest, response: HttpResponse): HttpRequest | undefined {
  try {
    return followRedirect(request, response);
  } catch (error) {
    response.body.destroy();
    throw error;
  }
}

/** Plain http through a proxy uses the whole URL; everything else is sent as if directly. */
function requestTarget(url: URL, { proxy }: Route): string {
  const path = `${url.pathname}${url.search}`;
  return proxy !== undefined && url.protocol === "http:" ? `${url.origin}${path}` : path;
}

function createResponse(head: ExchangeHead, request: HttpRequest, upstream: Upstream): HttpResponse {
  if (head.statusCode === 407 && upstream.route.proxy !== undefined) {
    head.body.destroy();
    throw proxyRefusal(head.statusCode, upstream.route.proxy, request);
  }
  const headers = joinHeaders(head.headers);
  const body = decodeBody(head.body, headers["content-encoding"], (cause) =>
    failure(
      "malformed",
      t("The response of {0} uses an unsupported content encoding.", request.url.host),
      request,
      {
        cause,
      },
    ),
  );
  return { ...head, headers, body, isVerified: upstream.isVerified };
}

function joinHeaders(headers: ExchangeHead["headers"]): Readonly<Record<string, string>> {
  const joined: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) joined[name] = typeof value === "string" ? value : value.join(", ");
  }
  return joined;
}
