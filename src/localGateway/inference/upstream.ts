import { t } from "@vscode/l10n";
import { request as requestHttp } from "node:http";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { request as requestHttps } from "node:https";
import { pipeline } from "node:stream/promises";
import { isLoopbackUrl } from "../http/listen.ts";
import { inferenceError, readBody } from "../http/reply.ts";
import type { HttpFailure } from "../http/reply.ts";

/** Checks the base URL of a model server. Throws an error with a sentence for the user who entered it. */
export function parseUpstream(text: string, allowRemote: boolean): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new Error(
      t("The upstream {0} isn't an HTTP URL. Enter the base URL including /v1.", JSON.stringify(text)),
    );
  }
  if (!allowRemote && !isLoopbackUrl(url)) {
    throw new Error(
      t("The upstream {0} isn't on this machine. Only loopback addresses are allowed.", url.host),
    );
  }
  return url;
}

/**
 * Forwards the request to the model server and its response back as it arrives, without a time limit, because models on
 * a small machine can think for a long time. The client's key isn't forwarded. If the client disconnects, both requests
 * end.
 */
export async function forwardUpstream(
  upstream: URL,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(`${upstream.href.replace(/(?<!\/)\/+$/, "")}${path}`);
  const body = request.method === "POST" ? await readBody(request) : undefined;
  const answer = await send(url, request, body, signal);
  const { statusCode = 502 } = answer;
  if (statusCode >= 300 && statusCode < 400) {
    answer.destroy();
    throw badUpstream(
      t("The model server at {0} redirects elsewhere. Enter its direct address.", url.origin),
    );
  }
  response.writeHead(statusCode, passedHeaders(answer));
  response.flushHeaders();
  await pipeline(answer, response, { signal });
}

function send(
  url: URL,
  { method, headers }: IncomingMessage,
  body: string | undefined,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send(url, {
      method: method ?? "GET",
      signal,
      headers: {
        accept: headers.accept ?? "*/*",
        "accept-encoding": "identity",
        ...(body === undefined
          ? {}
          : { "content-type": "application/json", "content-length": Buffer.byteLength(body) }),
      },
    });
    outgoing.once("response", resolve);
    outgoing.once("error", () =>
      reject(badUpstream(t("The model server at {0} isn't responding. Is it running?", url.origin))),
    );
    outgoing.end(body);
  });
}

/** The headers that describe the response, without those about the connection to the model server. */
function passedHeaders({ headers }: IncomingMessage): OutgoingHttpHeaders {
  const passed = Object.entries(headers).filter(([name]) =>
    /^(?:content-type|content-length|content-encoding|cache-control|retry-after|x-ratelimit-.*)$/.test(name),
  );
  return Object.fromEntries(passed);
}

/** 502, which clients retry. */
function badUpstream(message: string): HttpFailure {
  return inferenceError(502, message, "server_error", "upstream_unavailable");
}
