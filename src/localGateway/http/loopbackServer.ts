import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { JsonObject } from "../../core/json.ts";
import type { Clock } from "../clock.ts";
import type { Exchange } from "./exchange.ts";
import { sendJson } from "./exchange.ts";
import { isLoopbackHostHeader } from "./loopbackHost.ts";
import { parseParameters } from "./parameters.ts";
import { gatewayError, Refusal } from "./refusal.ts";

export interface LoopbackServerOptions {
  /** 0 takes any free one. */
  readonly port: number;
  readonly clock: Clock;
  readonly createRequestId: () => string;
  /** Answers the request, or throws a Refusal that is sent instead. */
  readonly handle: (exchange: Exchange) => Promise<void> | void;
  readonly onConnection?: (isOpen: boolean) => void;
}

/** An HTTP server that only this machine can reach. */
export interface LoopbackServer {
  readonly port: number;
  /** Without a slash at its end. */
  readonly url: string;
  /** Closes every connection, those in the middle of an answer too. */
  stop(): Promise<void>;
}

/** Longer than a person reads an answer, so that the next turn reuses the connection. */
const keepAliveMs = 120_000;

/** Rejects with Node's own error where the port is taken. */
export async function startLoopbackServer(options: LoopbackServerOptions): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    void answer(request, response, options);
  });
  server.on("connection", (socket) => {
    options.onConnection?.(true);
    socket.once("close", () => options.onConnection?.(false));
  });
  server.listen(options.port, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  return { port, url: `http://127.0.0.1:${port}`, stop: () => stopServer(server) };
}

async function stopServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, "close");
  server.close();
  server.closeAllConnections();
  await closed;
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: LoopbackServerOptions,
): Promise<void> {
  const requestId = options.createRequestId();
  response.setHeader("date", new Date(options.clock()).toUTCString());
  response.setHeader("x-request-id", requestId);
  const exchange = createExchange(request, response, requestId);
  try {
    await options.handle(checkExchange(exchange));
  } catch (error) {
    refuse(exchange, error);
  }
}

function createExchange(request: IncomingMessage, response: ServerResponse, requestId: string): Exchange {
  const gone = new AbortController();
  response.once("close", () => {
    if (!response.writableFinished) gone.abort();
  });
  const [path = "", ...query] = (request.url ?? "").split("?");
  const parameters = parseParameters(query.join("?")) ?? [];
  const { method = "GET" } = request;
  return { request, response, method, path, parameters, requestId, signal: gone.signal };
}

/** Refuses what no handler should have to think of. */
function checkExchange(exchange: Exchange): Exchange {
  const { host } = exchange.request.headers;
  if (!isLoopbackHostHeader(host)) {
    throw gatewayError(403, "ERR_HOST", "This server answers to the names of this machine only.");
  }
  const query = exchange.request.url?.split("?").slice(1).join("?") ?? "";
  if (parseParameters(query) === undefined) {
    throw gatewayError(400, "ERR_QUERY", "The query is not well-formed percent-encoded UTF-8.");
  }
  return exchange;
}

/** After the head of an answer nothing can be refused any more: the cut connection says that it isn't whole. */
function refuse(exchange: Exchange, error: unknown): void {
  const { response, requestId, request, signal } = exchange;
  if (signal.aborted || response.headersSent) {
    response.destroy();
    return;
  }
  const refusal = error instanceof Refusal ? error : unexpected(error);
  const isUnread = !request.complete && refusal.statusCode === 413;
  const body: JsonObject = refusal.body(requestId);
  sendJson(exchange, refusal.statusCode, body, {
    ...refusal.headers,
    ...(isUnread ? { connection: "close" } : {}),
  });
}

function unexpected(error: unknown): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  return gatewayError(500, "ERR_INTERNAL", `The local gateway failed: ${message}`);
}
