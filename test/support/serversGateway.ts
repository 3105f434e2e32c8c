import { startServer } from "./httpServer.ts";

/** A gateway with any number of servers, whose responses are controlled by the test. */
export interface ServersGateway {
  readonly url: string;
  /** How often the list was requested. */
  readonly asked: number;
  /** All records, as contained in the next responses. */
  readonly servers: Record<string, unknown>[];
  /** The response instead of the list; `"nothing"` leaves the request pending. */
  failure: { readonly statusCode: number; readonly body: unknown } | "nothing" | undefined;
  /** Resolves with the next request for the list. */
  nextRequest(): Promise<void>;
  close(): Promise<void>;
}

const states = ["running", "stopped", "running", "running"];

export async function startServersGateway(count: number): Promise<ServersGateway> {
  const servers = Array.from({ length: count }, (_, index) => ({
    id: `srv-${index}`,
    name: `trainer-${String(index).padStart(5, "0")}`,
    status: states[index % states.length],
    gpu: "8x NVIDIA H100",
    region: index % 2 === 0 ? "eu-north" : "us-east",
    public_ip: `203.0.${113 + (index >> 8)}.${index & 255}`,
    tags: { team: index % 3 === 0 ? "research" : "serving" },
  }));
  const waiting: (() => void)[] = [];
  const server = await startServer((request, response) => {
    if (request.url?.startsWith("/gpu/api/v1/servers") !== true) {
      response.writeHead(404).end();
      return;
    }
    gateway.asked++;
    for (const settle of waiting.splice(0)) settle();
    const { failure } = gateway;
    if (failure === "nothing") return;
    const { statusCode, body } = failure ?? { statusCode: 200, body: { data: { servers: gateway.servers } } };
    response.writeHead(statusCode, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  const gateway = {
    url: server.url,
    asked: 0,
    servers: servers as Record<string, unknown>[],
    failure: undefined as ServersGateway["failure"],
    nextRequest: () => new Promise<void>((resolve) => waiting.push(resolve)),
    close: () => server.close(),
  };
  return gateway;
}
