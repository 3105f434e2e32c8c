import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord } from "../../core/kernel/json.ts";
import { createGpuService } from "../gpu/service.ts";
import { listenOnLoopback, hasWellFormedQuery, isLoopbackHostHeader } from "../http/listen.ts";
import { HttpFailure, sendJson } from "../http/reply.ts";
import type { Handler } from "../http/reply.ts";
import type { ExtraModel } from "../inference/chatRequest.ts";
import { createInferenceService } from "../inference/service.ts";
import { defaultOptions, createCredentials } from "../kernel/options.ts";
import type { ServiceOptions, DemoCredentials } from "../kernel/options.ts";
import { Windows, joinPath, proofOf } from "./windows.ts";

/** A running local gateway, with what its command line and tests need beyond the port that the product uses. */
export interface RunningLocalGateway {
  /** Such as `http://127.0.0.1:1234/v1`. */
  readonly inferenceBaseUrl: string;
  /** Such as `http://127.0.0.1:1234`. */
  readonly gatewayUrl: string;
  readonly port: number;
  readonly credentials: DemoCredentials;
  /** @param isWish The user has stopped it, so that no other window continues it. */
  stop(isWish?: boolean): Promise<void>;
}

/**
 * Starts the embedded server side of the interface on loopback: the inference service and the GPU gateway.
 * Rejects with a readable sentence if the port is taken.
 *
 * @param extraModels Those of a test, such as models that fail on purpose.
 */
export async function startLocalGateway(
  choices: Partial<ServiceOptions> = {},
  extraModels: readonly ExtraModel[] = [],
): Promise<RunningLocalGateway> {
  const options = { ...defaultOptions, ...choices };
  const credentials = createCredentials();
  const now = (): number => Date.now() + options.clockOffsetMs;
  const gpu = await createGpuService(credentials, options, now);
  const inference = createInferenceService(credentials.apiKey, {
    seed: options.seed ?? 1,
    servers: () => gpu.servers.list(),
    extraModels,
    tokensPerSecond: options.tokensPerSecond,
    now,
  });
  const windows = new Windows();
  const join: Handler = (request, response, url) => {
    const challenge = url.searchParams.get("challenge") ?? "";
    windows.add(response, proofOf(credentials.apiKey, request.socket.localPort ?? 0, challenge));
    return Promise.resolve();
  };
  const server = createServer((request, response) => {
    void serve(request, response, route(inference, gpu.handle, join), options, now);
  });
  // A response may pause for as long as the demo requires. Timeouts are up to the clients.
  server.requestTimeout = 0;
  // Longer than it takes to read a response, so that the next turn reuses the connection.
  server.keepAliveTimeout = 120_000;
  const service = await listenOnLoopback(server, options.port);
  return {
    inferenceBaseUrl: `${service.url}/v1`,
    gatewayUrl: service.url,
    port: service.port,
    credentials: { ...credentials, stsToken: gpu.stsToken },
    async stop(isWish = false) {
      if (isWish) await windows.dismiss();
      await service.stop();
    },
  };
}

function route(inference: Handler, gpu: Handler, join: Handler): Handler {
  return async (request, response, url, signal) => {
    if (url.pathname === "/healthz") return sendJson(response, 200, { status: "ok" });
    if (url.pathname === joinPath) return join(request, response, url, signal);
    if (url.pathname.startsWith("/v1/")) return inference(request, response, url, signal);
    if (/^\/(?:gpu|sts)\//.test(url.pathname)) return gpu(request, response, url, signal);
    throw new HttpFailure(404, { code: "NOT_FOUND", message: `There is no ${url.pathname} here.` });
  };
}

/** Everything around the actual handling: guards, the request's ID and date, failures and the record. */
async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  handle: Handler,
  options: ServiceOptions,
  now: () => number,
): Promise<void> {
  const closed = new AbortController();
  response.once("close", () => closed.abort());
  response.setHeader("x-request-id", `req-${randomUUID()}`);
  response.setHeader("date", new Date(now()).toUTCString());
  const url = URL.parse(request.url ?? "/", "http://127.0.0.1") ?? new URL("http://127.0.0.1/");
  try {
    if (!isLoopbackHostHeader(request.headers.host)) {
      throw new HttpFailure(403, { code: "FORBIDDEN", message: "This gateway serves its own machine only." });
    }
    if (!hasWellFormedQuery(request.url ?? "")) {
      throw new HttpFailure(400, { code: "BAD_REQUEST", message: "The query is not percent-encoded UTF-8." });
    }
    await handle(request, response, url, closed.signal);
  } catch (error) {
    if (!closed.signal.aborted) respondWithFailure(request, response, error);
  }
  const { onRequest } = options;
  if (onRequest === undefined) return;
  if (!closed.signal.aborted) await once(response, "close");
  onRequest(request, response);
}

function respondWithFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (response.headersSent) return void response.destroy();
  const failure = error instanceof HttpFailure ? error : unexpected;
  // The rest of the request isn't read, so the connection can't be reused.
  const close = request.complete ? {} : { connection: "close" };
  const id = String(response.getHeader("x-request-id"));
  sendJson(response, failure.statusCode, withRequestId(failure.body, id), { ...failure.headers, ...close });
}

const unexpected = new HttpFailure(500, {
  error: { message: "The local gateway failed.", type: "server_error", param: null, code: null },
});

/** The gateway's errors include the request ID in their body, the inference service's only in the header. */
function withRequestId(body: unknown, id: string): unknown {
  return isRecord(body) && !("error" in body) ? { ...body, request_id: id } : body;
}
