import { randomBytes } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import type { DemoCredentials } from "../credentials.ts";
import { HttpFailure } from "../http/reply.ts";
import type { LocalGatewayOptions } from "../options.ts";
import { authenticate } from "./authenticate.ts";
import type { AuthenticationContext } from "./authenticate.ts";
import { startBackend } from "./backend.ts";
import { credentialSources } from "./credentialLookup.ts";
import type { Identity } from "./identity.ts";
import { signIdentity } from "./identityToken.ts";
import { serverRecords } from "./serverRecords.ts";
import { startSingleSignOn, validateSession } from "./singleSignOn.ts";
import { StsTokens } from "./stsTokens.ts";

const stsLifetimeMs = 12 * 60 * 60 * 1000;
const owner: Identity = { userId: "demo-user", account: "demo-account" };

/** The GPU instance gateway (interface sections 4.2 and 5.2 to 5.5) with the services behind it. */
export interface GpuService {
  /** Where the backend listens: it refuses whatever doesn't come through the gateway. */
  readonly backendUrl: string;
  handle(request: IncomingMessage, response: ServerResponse, url: URL, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function startGpuService(
  credentials: DemoCredentials,
  options: LocalGatewayOptions,
  now: () => number,
): Promise<GpuService> {
  const key = randomBytes(32);
  const backend = await startBackend(serverRecords(options.serverCount, options.seed ?? 1), key);
  const singleSignOn = await startSingleSignOn(new Map([[credentials.sessionToken, owner]]));
  const stsTokens = new StsTokens();
  stsTokens.issue(credentials.stsToken, owner, now() + stsLifetimeMs);
  const context: AuthenticationContext = {
    credentials,
    owner,
    stsTokens,
    signature: { emptyValues: options.emptyValues, encoding: options.signatureEncoding },
    permittedTypes: options.permittedTypes,
    now,
    validateSession: (token) => validateSession(singleSignOn.url, token),
  };
  return {
    backendUrl: backend.url,
    async handle(request, response, url, signal) {
      if (request.method !== "GET" || url.pathname !== "/gpu/api/v1/servers") {
        throw new HttpFailure(404, {
          code: "NOT_FOUND",
          message: `There is no ${request.method} ${url.pathname} here.`,
        });
      }
      const identity = await authenticate(credentialSources(request, url), context);
      await forward(`${backend.url}/servers`, await signIdentity(identity, key), response, signal);
    },
    async stop() {
      await Promise.all([backend.stop(), singleSignOn.stop()]);
    },
  };
}

async function forward(
  target: string,
  token: string,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const answer = await fetch(target, {
    headers: { authorization: `Bearer ${token}` },
    redirect: "error",
    signal,
  });
  response.writeHead(answer.status, { "content-type": "application/json; charset=utf-8" });
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body), response, { signal });
}
