import { createServer } from "node:http";
import { isRecord, stringField } from "../../core/kernel/json.ts";
import { isLoopbackHost } from "../http/hostGuard.ts";
import { listenOnLoopback } from "../http/listen.ts";
import type { LoopbackService } from "../http/listen.ts";
import { readBody, sendJson } from "../http/reply.ts";
import type { Identity } from "./identity.ts";

/** A service of its own that knows who a session token belongs to (interface section 5.2). */
export async function startSingleSignOn(sessions: ReadonlyMap<string, Identity>): Promise<LoopbackService> {
  return listenOnLoopback(
    createServer((request, response) => {
      if (request.method !== "POST" || request.url !== "/validate" || !isLoopbackHost(request.headers.host)) {
        return sendJson(response, 404, { message: "Ask POST /validate." });
      }
      readBody(request).then(
        (text) => {
          const identity = sessions.get(parseToken(text) ?? "");
          if (identity === undefined) sendJson(response, 401, { active: false });
          else sendJson(response, 200, { active: true, ...identity });
        },
        () => response.destroy(),
      );
    }),
  );
}

/** Asks the service; undefined for a token that it doesn't know. */
export async function validateSession(serviceUrl: string, token: string): Promise<Identity | undefined> {
  const response = await fetch(`${serviceUrl}/validate`, {
    method: "POST",
    body: JSON.stringify({ token }),
    redirect: "error",
  });
  if (!response.ok) return undefined;
  const body: unknown = await response.json();
  if (!isRecord(body)) return undefined;
  const userId = stringField(body, "userId");
  const account = stringField(body, "account");
  return userId === undefined || account === undefined ? undefined : { userId, account };
}

function parseToken(text: string): string | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? stringField(body, "token") : undefined;
  } catch {
    return undefined;
  }
}
