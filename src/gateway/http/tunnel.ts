import { t } from "@vscode/l10n";
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import Client from "undici/lib/dispatcher/client.js";
import type { ProxyRoute } from "./route.ts";
import type { RequestLabel } from "./transportErrors.ts";
import { failure, proxyConnectionFailure, proxyRefusal } from "./transportErrors.ts";

/** Asks the proxy at the other end of the socket for a way through to the origin of the URL (method CONNECT). */
export async function openTunnel(socket: Socket, proxy: ProxyRoute, label: RequestLabel): Promise<Socket> {
  const authority = `${label.url.hostname}:${label.url.port || "443"}`;
  const answer = await askForTunnel(socket, proxy, authority).catch((error: unknown) => {
    throw proxyConnectionFailure(error, proxy, label);
  });
  const isOpen = answer.statusCode >= 200 && answer.statusCode < 300;
  if (isOpen && answer.socket instanceof Socket) return answer.socket;
  answer.socket.destroy();
  if (!isOpen) throw proxyRefusal(answer.statusCode, proxy, label);
  throw failure("proxy", t("The proxy {0} sent an invalid response.", proxy.url.host), label);
}

interface TunnelAnswer {
  readonly statusCode: number;
  readonly socket: Duplex;
}

function askForTunnel(socket: Socket, proxy: ProxyRoute, authority: string): Promise<TunnelAnswer> {
  const client = new Client(proxy.url, {
    // Later: undici is not ready for an answer within the question.
    connect: (_, callback) => queueMicrotask(() => callback(null, socket)),
    headersTimeout: 0,
  });
  const headers = {
    host: authority,
    "proxy-connection": "keep-alive",
    ...(proxy.authorization === undefined ? {} : { "proxy-authorization": proxy.authorization }),
  };
  return new Promise((resolve, reject) => {
    client.dispatch(
      { method: "CONNECT", path: authority, headers },
      {
        onRequestStart: () => undefined,
        // undici hands over the socket whatever the status is.
        onRequestUpgrade: (_, statusCode, __, tunnel) => resolve({ statusCode, socket: tunnel }),
        onResponseError: (_, error) => reject(error),
      },
    );
  });
}
