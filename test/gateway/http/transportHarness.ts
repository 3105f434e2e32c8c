import { createServer } from "node:http";
import type { RequestListener, Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import type {
  HttpRequest,
  HttpResponse,
  Transport,
  NetworkSettings,
} from "../../../src/gateway/http/transport.ts";
import type { TransportOptions } from "../../../src/gateway/http/undiciTransport.ts";
import { createTransport } from "../../../src/gateway/http/undiciTransport.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { TestCertificate } from "../../support/certificates.ts";

export const plainSettings: NetworkSettings = {
  noProxy: [],
  proxySupport: "override",
  strictSsl: true,
  useSystemCertificates: false,
  environment: {},
};

/** Everything that a test opened, closed in the end. */
export class Harness {
  readonly #closers: (() => Promise<void>)[] = [];

  transport(
    settings: Partial<NetworkSettings> | (() => NetworkSettings) = {},
    options: Partial<TransportOptions> = {},
  ): Transport {
    const transport = createTransport({
      network: typeof settings === "function" ? settings : () => ({ ...plainSettings, ...settings }),
      userAgent: "inference-gateway-test",
      now: () => Date.now(),
      readCertificates: () => [],
      ...options,
    });
    this.#closers.push(() => transport.close());
    return transport;
  }

  async server(listener: RequestListener, certificate?: TestCertificate): Promise<RecordedServer> {
    const server = new RecordedServer(listener, certificate);
    this.onClose(() => server.close());
    await server.listen();
    return server;
  }

  onClose(close: () => Promise<void>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (const close of this.#closers.splice(0)) await close();
  }
}

/** A real http or https server that counts its sockets. */
export class RecordedServer {
  readonly sockets: Socket[] = [];
  readonly urls: string[] = [];
  readonly #server: Server;
  readonly #scheme: string;

  constructor(listener: RequestListener, certificate?: TestCertificate) {
    this.#scheme = certificate === undefined ? "http" : "https";
    this.#server =
      certificate === undefined
        ? createServer()
        : createTlsServer({ cert: certificate.certificate, key: certificate.key });
    this.#server.on("connection", (socket: Socket) => {
      this.sockets.push(socket);
      socket.on("error", () => undefined);
    });
    this.#server.on("request", (request, response) => {
      this.urls.push(request.url ?? "");
      listener(request, response);
    });
    this.#server.on("tlsClientError", () => undefined);
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.#scheme}://127.0.0.1:${this.port}`;
  }

  /** Resolves when the client has closed the socket. */
  async socketClosed(index = 0): Promise<void> {
    const socket = this.sockets[index];
    if (socket === undefined || socket.destroyed) return;
    await new Promise((resolve) => socket.once("close", resolve));
  }

  listen(): Promise<void> {
    return new Promise((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

export function get(url: string, rest: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: "GET",
    url: new URL(url),
    headers: {},
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    isAuthenticated: false,
    allowInsecureHttp: false,
    ...rest,
  };
}

export function post(url: string, body: string, rest: Partial<HttpRequest> = {}): HttpRequest {
  return get(url, { method: "POST", body, headers: { "content-type": "application/json" }, ...rest });
}

export async function readText(response: HttpResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

/** The ServiceError that the promise rejects with. */
export async function failureOf(promise: Promise<unknown>): Promise<ServiceError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error("It did not fail.");
}
