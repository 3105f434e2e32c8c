import { Socket } from "node:net";
import Client from "undici/lib/dispatcher/client.js";
import type { ProxyRoute } from "./route.ts";
import type { RequestLabel } from "./transportErrors.ts";
import { failure, proxyConnectionFailure, proxyRefusal } from "./transportErrors.ts";

/** Asks the proxy at the other end of the socket for a way through to the origin of the URL (method CONNECT). */
export async function openTunnel(socket: Socket, proxy: ProxyRoute, label: RequestLabel): Promise<Socket> {
  const authority = `${label.url.hostname}:${label.url.port || "443"}`;
  const client = new Client(proxy.url, {
    connect: (_, callback) => callback(null, socket),
    headersTimeout: 0,
  });
  const answer = await client
    .connect({ path: authority, headers: createHeaders(authority, proxy) })
    .catch((error: unknown) => {
      throw proxyConnectionFailure(error, proxy, label);
    });
  const tunnel: unknown = answer.socket;
  if (answer.statusCode >= 200 && answer.statusCode < 300 && tunnel instanceof Socket) return tunnel;
  answer.socket.destroy();
  if (answer.statusCode >= 300) throw proxyRefusal(answer.statusCode, proxy, label);
  throw failure("proxy", `The proxy ${proxy.url.host} gave an answer that makes no sense.`, label);
}

function createHeaders(authority: string, proxy: ProxyRoute): Record<string, string> {
  return {
    host: authority,
    "proxy-connection": "keep-alive",
    ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
  };
}
