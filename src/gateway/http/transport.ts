import type { Readable } from "node:stream";

export type HttpMethod = "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";

/** One HTTP request, whole: what is signed is what is sent. */
export interface HttpRequest {
  readonly method: HttpMethod;
  readonly url: URL;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Aborting it closes the socket at once; the request then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Milliseconds of silence allowed: for connecting to first byte, and between two bytes of the body. */
  readonly timeoutMs: number;
  /** Whether credentials travel with it: plain http is refused except to loopback, redirects are never followed elsewhere. */
  readonly isAuthenticated: boolean;
  readonly allowInsecureHttp: boolean;
  readonly observer?: RequestObserver;
  /** Whose request it is: connections are never shared between owners. */
  readonly owner?: RequestOwner;
}

/** A profile with the generation of its credentials: what an older one has opened is not used by a newer one. */
export interface RequestOwner {
  readonly profileName: string;
  readonly generation: number;
}

/** What a caller may want to observe of a request before its response. */
export interface RequestObserver {
  /** `proxy` is its origin. */
  onConnection(facts: { readonly isReused: boolean; readonly proxy?: string }): void;
  onConnected(): void;
  /** The request is being written. */
  onSent(): void;
}

export interface HttpResponse {
  readonly statusCode: number;
  /** Names in lower case; repeated headers joined with a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as it comes; decoded if the server compressed it. Must be read to its end or destroyed. */
  readonly body: Readable;
  /** Milliseconds since 1970 when the request was sent and when the head of the response came. */
  readonly sentAt: number;
  readonly receivedAt: number;
  /** Whether the server is surely the one it claims to be: verified TLS or loopback. Its clock is believed only then. */
  readonly isVerified?: boolean;
}

/**
 * Port between the clients and the sockets. `request` resolves with any status; it rejects with a ServiceError
 * (`unreachable`, `tls`, `proxy`, `timeout`, `insecure`, `redirected`) or with the abort reason of the signal.
 * A body that fails later fails with a ServiceError too.
 */
export interface Transport {
  request(request: HttpRequest): Promise<HttpResponse>;
  /** Closes every connection. */
  close(): Promise<void>;
}
