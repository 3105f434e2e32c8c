import type { Readable } from "node:stream";
import type { Profile } from "../../core/account/profile.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/** The methods that requests to the services and custom signed requests use. */
export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One complete HTTP request: exactly what was signed is sent. */
export interface HttpRequest {
  readonly method: HttpMethod;
  readonly url: URL;
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborting it closes the socket at once; the request then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Maximum idle time in milliseconds: from connecting to the first byte, and between two bytes of the body. */
  readonly timeoutMs: number;
  /**
   * Whether it contains credentials: plain HTTP is then refused except to loopback, and redirects to other origins are
   * never followed.
   */
  readonly isAuthenticated: boolean;
  readonly allowInsecureHttp: boolean;
  /** Whether it must not be sent again for any reason, because it changes something. It then uses a new connection. */
  readonly isOnce?: boolean;
  readonly observer?: RequestObserver;
  /** The owner of the request: connections are never shared between owners. */
  readonly owner?: RequestOwner;
}

/**
 * A profile with one generation of its credentials: connections opened by an older generation are not used by a newer
 * one.
 */
interface RequestOwner {
  readonly profileName: string;
  readonly generation: number;
  /** What the profile sets instead of VS Code's network settings. */
  readonly network?: OwnNetwork;
}

/** What a caller may want to observe about a request before its response. */
interface RequestObserver {
  /** `proxy` is the origin of the proxy. */
  onConnection(facts: { readonly isReused: boolean; readonly proxy?: string }): void;
  onConnected?(): void;
  /** The request is being written. */
  onSent?(): void;
}

/** A response whose headers have been received, with any status; its body may still be arriving. */
export interface HttpResponse {
  readonly statusCode: number;
  /** Names are in lower case; repeated headers are joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as received; decoded if the server compressed it. Must be read to its end or destroyed. */
  readonly body: Readable;
  /** Milliseconds since 1970 when the request was sent and when the response headers were received. */
  readonly sentAt: number;
  readonly receivedAt: number;
  /**
   * Whether the identity of the server is certain, through verified TLS or loopback. Its clock is trusted only then.
   */
  readonly isVerified?: boolean;
}

/** Whether the status is one of success. */
export function isGood({ statusCode }: Pick<HttpResponse, "statusCode">): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/**
 * Port between the clients and the sockets. `request` resolves with any status; it rejects with a ServiceError
 * (`unreachable`, `tls`, `proxy`, `timeout`, `insecure`, `redirected`) or with the abort reason of the signal. A body
 * that fails later also fails with a ServiceError.
 */
export interface Transport {
  /** Sends the request, and again only if a kept connection was closed before a single byte of a response. */
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes every connection. */
  close(): Promise<void>;
}

/** Network settings from VS Code and the environment, as plain data. */
export interface NetworkSettings {
  /** VS Code's `http.proxy`. */
  readonly proxyUrl?: string;
  /** VS Code's `http.proxyAuthorization`: sent unchanged to the proxy of `http.proxy`. */
  readonly proxyAuthorization?: string;
  /** VS Code's `http.noProxy`. */
  readonly noProxy: readonly string[];
  /** VS Code's `http.proxySupport`; `off` means that no proxy is used. */
  readonly proxySupport: "off" | "on" | "fallback" | "override";
  /** VS Code's `http.proxyStrictSSL`: whether certificates must be trusted. */
  readonly strictSsl: boolean;
  /** VS Code's `http.systemCertificates`. */
  readonly useSystemCertificates: boolean;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The profile's own proxy, or `direct`. It takes precedence over everything else. */
  readonly ownProxy?: string;
  /** Path of a PEM file with the profile's own issuers. */
  readonly caFile?: string;
}

/** The options of a profile that replace settings of VS Code. */
export type OwnNetwork = Pick<Profile, "proxy" | "caFile">;

/** The settings with the proxy and the certificates of a profile, which take precedence. */
export function withOwnNetwork(settings: NetworkSettings, { proxy, caFile }: OwnNetwork): NetworkSettings {
  return { ...settings, ...filledFields({ ownProxy: proxy, caFile }) };
}
