import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server } from "node:http";

/** A real server on its own loopback port. */
export interface TestServer {
  readonly url: string;
  /** Total number of sockets opened. */
  readonly socketCount: number;
  readonly openSocketCount: number;
  close(): Promise<void>;
}

export async function startServer(listener: RequestListener): Promise<TestServer> {
  const server = createServer(listener);
  // Node's five seconds can be a short pause on a busy machine, which would make the reuse of connections random.
  server.keepAliveTimeout = 120_000;
  let socketCount = 0;
  let openSocketCount = 0;
  server.on("connection", (socket) => {
    socketCount++;
    openSocketCount++;
    socket.on("close", () => openSocketCount--);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${portOf(server)}`,
    get socketCount() {
      return socketCount;
    },
    get openSocketCount() {
      return openSocketCount;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** The whole body of a request. */
export async function readRequestBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  return Buffer.concat(chunks).toString("utf8");
}
