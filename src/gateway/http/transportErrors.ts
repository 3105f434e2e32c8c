import { t } from "@vscode/l10n";
import type { ErrorReason } from "../../core/kernel/errors.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { routeAdvice } from "../../core/kernel/localNetwork.ts";
import { describeRequest } from "../errors/errorMessage.ts";
import type { ProxyRoute } from "./route.ts";

/** The requested URL, which is named in every failure. */
export interface RequestLabel {
  readonly method: string;
  readonly url: URL;
}

/** A failure on the way to or from the server, as a sentence with its request. */
export function failure(
  reason: ErrorReason,
  what: string,
  label: RequestLabel,
  extra: { readonly cause?: unknown; readonly code?: string; readonly statusCode?: number } = {},
): ServiceError {
  const request = describeRequest(label.method, label.url);
  const { cause, ...facts } = extra;
  return new ServiceError({ reason, message: `${what} (${request})`, request, ...facts }, cause);
}

/** The error for a connection that failed or broke, according to the operating system or undici. */
export function connectionFailure(error: unknown, label: RequestLabel): ServiceError {
  if (error instanceof ServiceError) return error;
  const code = errorCode(error);
  const host = label.url.host;
  if (isPlainResponse(code, error) && label.url.protocol === "https:")
    return wrongScheme("http", label, error);
  if (code.startsWith("ERR_SSL_") || code === "EPROTO") {
    return failure(
      "tls",
      t(
        "The TLS handshake with {0} failed. Check that the server uses HTTPS and that the port is correct.",
        host,
      ),
      label,
      { cause: error },
    );
  }
  if (code === "UND_ERR_HEADERS_OVERFLOW" || (error instanceof Error && error.name === "HTTPParserError")) {
    // The cause is discarded because it quotes what the server sent.
    const what = t("{0} sent a malformed HTTP response. Check the address and port.", host);
    return failure("malformed", what, label);
  }
  if (
    code.startsWith("UND_ERR_INVALID") ||
    code === "UND_ERR_NOT_SUPPORTED" ||
    code === "UND_ERR_REQ_CONTENT_LENGTH_MISMATCH"
  ) {
    return failure(
      "configuration",
      t("The request couldn't be built. Check the profile's additional headers."),
      label,
      { cause: error },
    );
  }
  return failure("unreachable", unreachableMessage(code, label.url), label, { cause: error });
}

/** What OpenSSL reports if a server responds to a handshake with something other than TLS, such as an HTTP response. */
function isPlainResponse(code: string, error: unknown): boolean {
  return (
    /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST|UNKNOWN_PROTOCOL|RECORD_LAYER_FAILURE)$/.test(
      code,
    ) ||
    (error instanceof Error &&
      /wrong version number|packet length too long|http request/i.test(error.message))
  );
}

/** The address uses one scheme, but the server uses the other on this port. */
export function wrongScheme(scheme: "http" | "https", label: RequestLabel, cause: unknown): ServiceError {
  const { host } = label.url;
  const what =
    scheme === "http"
      ? t(
          "{0} doesn't use TLS on this port, but the address starts with https://. Use http://, or check the port.",
          host,
        )
      : t(
          "{0} uses TLS on this port, but the address starts with http://. Use https://, or check the port.",
          host,
        );
  const { facts } = failure("wrongScheme", what, label);
  return new ServiceError({ ...facts, scheme }, cause);
}

/** The proxy, or a server beyond it, closed a connection that the proxy had accepted. */
export function proxyCut(error: unknown, proxy: ProxyRoute, label: RequestLabel): ServiceError {
  const what = t(
    "The connection to {0} through the proxy {1} was closed. Check whether the proxy allows this host, or check {2}.",
    label.url.host,
    proxy.url.host,
    proxy.source,
  );
  return failure("proxy", what, label, { cause: error });
}

/** Whether an established connection ended without its own error. */
export function isCut(error: unknown): boolean {
  const code = errorCode(error);
  return (
    /^(?:ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_CLOSED|UND_ERR_DESTROYED)$/.test(code) ||
    (code === "" && error instanceof Error && /closed|other side|socket hang up/i.test(error.message))
  );
}

/** The error for a failed connection to the proxy, which the user fixes elsewhere. */
export function proxyConnectionFailure(error: unknown, proxy: ProxyRoute, label: RequestLabel): ServiceError {
  const what = proxyMessage(errorCode(error), proxy.url.host, proxy.source);
  return failure("proxy", what, label, { cause: error });
}

/** What the codes of a failed connection have in common. */
const connectionFailures: Readonly<Record<string, "host" | "dns" | "refused" | "timeout" | "route">> = {
  ENOTFOUND: "host",
  ENODATA: "host",
  EAI_AGAIN: "dns",
  ETIMEOUT: "dns",
  ESERVFAIL: "dns",
  ECONNREFUSED: "refused",
  ETIMEDOUT: "timeout",
  EHOSTUNREACH: "route",
  ENETUNREACH: "route",
  ENETDOWN: "route",
  EADDRNOTAVAIL: "route",
};

function proxyMessage(code: string, host: string, source: string): string {
  const messages = {
    host: t("The proxy {0} wasn't found. Check {1} and the network.", host, source),
    dns: t(
      "The proxy {0} couldn't be resolved: the DNS server isn't responding. Check {1} and the network.",
      host,
      source,
    ),
    refused: t(
      "The proxy {0} refused the connection: nothing is listening on this port. Check {1} and whether the proxy is running.",
      host,
      source,
    ),
    timeout: t(
      "The proxy {0} didn't respond to the connection attempt. Check {1}, the network, and any firewall.",
      host,
      source,
    ),
    route: t(
      "The proxy {0} can't be reached: no route to its network. Check {1}, the network, or the VPN.",
      host,
      source,
    ),
    other: t("The proxy {0} closed the connection. Retry, or check {1}.", host, source),
  };
  return messages[connectionFailures[code] ?? "other"];
}

/** The proxy responded, but did not let us through. */
export function proxyRefusal(statusCode: number, proxy: ProxyRoute, label: RequestLabel): ServiceError {
  const { host } = proxy.url;
  const what =
    statusCode === 407
      ? t(
          "The proxy {0} requires a user name and password, or rejected the ones it was given (status {1}). Check {2}.",
          host,
          String(statusCode),
          proxy.source,
        )
      : t(
          "The proxy {0} refused to connect to {1} (status {2}). Check {3}.",
          host,
          label.url.host,
          String(statusCode),
          proxy.source,
        );
  return failure("proxy", what, label, { statusCode });
}

/** The server was idle for the whole request timeout. */
export function timeoutFailure(
  phase: "connecting" | "waiting" | "receiving",
  timeoutMs: number,
  label: RequestLabel,
): ServiceError {
  const { host } = label.url;
  const seconds = Number((timeoutMs / 1_000).toFixed(1));
  const advice = t("Retry, or increase the setting inferenceGateway.requestTimeout.");
  switch (phase) {
    case "connecting":
      return failure(
        "timeout",
        `${t("Couldn't connect to {0} within {1} s.", host, String(seconds))} ${advice}`,
        label,
        { code: "UND_ERR_CONNECT_TIMEOUT" },
      );
    case "waiting":
      return failure(
        "timeout",
        `${t("{0} didn't respond within {1} s.", host, String(seconds))} ${advice}`,
        label,
      );
    case "receiving":
      return failure(
        "timeout",
        `${t("{0} stopped responding mid-stream: no data for {1} s.", host, String(seconds))} ${advice}`,
        label,
      );
  }
}

function unreachableMessage(code: string, { host, hostname }: URL): string {
  const messages = {
    host: t("Host {0} not found. Check the address and the network.", host),
    dns: t("{0} couldn't be resolved: the DNS server isn't responding. Check the network.", host),
    refused: t(
      "{0} refused the connection: nothing is listening on this port. Check the address and whether the server is running.",
      host,
    ),
    timeout: t(
      "{0} didn't respond to the connection attempt. Check the address, the network, and any firewall.",
      host,
    ),
    route: `${t("{0} can't be reached: no route to its network.", host)} ${routeAdvice(hostname, process.platform)}`,
    other: t(
      "{0} closed the connection before the response was complete. Retry, or check the network.",
      host,
    ),
  };
  return messages[connectionFailures[code] ?? "other"];
}

/** Whether the other side has closed the connection, and not because of invalid data that it had sent. */
export function isConnectionLoss(error: unknown): boolean {
  const code = errorCode(error);
  const isClosed = error instanceof Error && error.message === "other side closed";
  return code === "ECONNRESET" || code === "EPIPE" || (code === "UND_ERR_SOCKET" && isClosed);
}

/** With several addresses, Node reports all failures in one error; the first represents them. */
function errorCode(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) {
    return ownCode(error) || errorCode(error.errors[0]);
  }
  return ownCode(error);
}

function ownCode(error: unknown): string {
  const isCoded = typeof error === "object" && error !== null && "code" in error;
  return isCoded && typeof error.code === "string" ? error.code : "";
}
