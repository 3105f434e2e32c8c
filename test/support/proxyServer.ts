import { createServer } from "node:http";
import type { IncomingMessage, Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect } from "node:net";
import type { AddressInfo, Socket } from "node:net";
import type { TestCertificate } from "./certificates.ts";

/** A request received by the proxy. */
export interface ProxiedRequest {
  readonly method: string;
  /** `host:port` for CONNECT, the whole URL otherwise. */
  readonly target: string;
  readonly authorization: string | undefined;
}

export interface ProxyServer {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly ProxiedRequest[];
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Every host name is connected to this port of 127.0.0.1. */
  readonly upstreamPort: number;
  /** The status code with which requests are refused. */
  readonly refuseWith?: number;
  readonly certificate?: TestCertificate;
  /** How many bytes from a client a tunnel forwards before it is cut. */
  readonly cutAfterBytes?: number;
}

/** A real proxy on loopback: tunnels for CONNECT and absolute URLs for plain HTTP. */
export async function startProxy(options: ProxyOptions): Promise<ProxyServer> {
  const requests: ProxiedRequest[] = [];
  const sockets = new Set<Socket>();
  const { certificate } = options;
  const server: Server =
    certificate === undefined
      ? createServer()
      : createTlsServer({ cert: certificate.certificate, key: certificate.key });
  const note = (request: IncomingMessage): void => {
    requests.push({
      method: request.method ?? "",
      target: request.url ?? "",
      authorization: request.headers["proxy-authorization"],
    });
  };
  server.on("connection", (socket: Socket) => sockets.add(socket));
  server.on("connect", (request, client: Socket, head) => {
    note(request);
    sockets.add(client);
    client.on("error", () => undefined);
    if (options.refuseWith !== undefined) {
      client.end(`HTTP/1.1 ${options.refuseWith} No\r\ncontent-length: 0\r\n\r\n`);
      return;
    }
    const upstream = connect(options.upstreamPort, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(client);
      client.pipe(upstream);
      let left = options.cutAfterBytes ?? Infinity;
      client.on("data", (chunk: Buffer) => {
        left -= chunk.length;
        if (left < 0) client.destroy();
      });
    });
    sockets.add(upstream);
    upstream.on("error", () => client.destroy());
    upstream.on("close", () => client.destroy());
    client.on("close", () => upstream.destroy());
  });
  server.on("request", (request, response) => {
    note(request);
    response.writeHead(options.refuseWith ?? 200).end("through the proxy");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${port}`,
    port,
    requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
