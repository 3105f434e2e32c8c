import { createServer } from "node:http";
import { listenOnLoopback } from "../http/listen.ts";
import type { LoopbackService } from "../http/listen.ts";
import { sendJson } from "../http/reply.ts";
import { verifyIdentity } from "./identityToken.ts";
import type { ServerRecord } from "./serverRecords.ts";

/** The service behind the gateway: it lists servers and accepts nothing but the gateway's internal token. */
export async function startBackend(
  listServers: () => readonly ServerRecord[],
  key: Uint8Array,
): Promise<LoopbackService> {
  return listenOnLoopback(
    createServer((request, response) => {
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? "")?.[1] ?? "";
      verifyIdentity(token, key).then(
        ({ account }) => {
          const list = listServers();
          sendJson(response, 200, { code: 0, message: "ok", data: { account, total: list.length, list } });
        },
        () => sendJson(response, 401, { message: "The backend accepts the gateway's identity token only." }),
      );
    }),
  );
}
