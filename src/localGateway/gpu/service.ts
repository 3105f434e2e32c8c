import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isRecord, parseJson } from "../../core/kernel/json.ts";
import { listenOnLoopback } from "../http/listen.ts";
import type { LoopbackService } from "../http/listen.ts";
import { HttpFailure, readBody, sendJson } from "../http/reply.ts";
import type { LastingCredentials } from "../kernel/credentials.ts";
import type { AuthenticationType, LocalGatewayOptions } from "../kernel/options.ts";
import { authenticate, startSingleSignOn, validateSession } from "./authenticate.ts";
import type { AuthenticationContext } from "./authenticate.ts";
import { credentialSources } from "./credentialLookup.ts";
import { signIdentity, verifyIdentity } from "./identityToken.ts";
import type { Identity } from "./identityToken.ts";
import { recordsAt, serverRecords } from "./serverRecords.ts";
import type { ServerRecord } from "./serverRecords.ts";
import { StsTokens } from "./stsTokens.ts";

/** In seconds; both limits are ours. */
const defaultStsLifetime = 3600;
const longestStsLifetime = 12 * 3600;

/** `POST /sts/v1/tokens`: a token for any caller, with the lifetime that the body may set as `duration_seconds`. */
async function issueStsToken(
  request: IncomingMessage,
  response: ServerResponse,
  identity: Identity,
  tokens: StsTokens,
): Promise<void> {
  const lifetime = parseLifetime(await readBody(request));
  const token = await tokens.issue(identity, lifetime);
  sendJson(response, 200, { token, expires_in: lifetime }, { "cache-control": "no-store" });
}

function parseLifetime(text: string): number {
  const body = text === "" ? {} : parseJson(text);
  if (!isRecord(body)) throw badRequest("The body is not a JSON object.");
  const lifetime = body["duration_seconds"] ?? defaultStsLifetime;
  if (typeof lifetime === "number" && Number.isInteger(lifetime) && lifetime >= 1) {
    if (lifetime <= longestStsLifetime) return lifetime;
  }
  throw badRequest(`duration_seconds must be an integer from 1 to ${longestStsLifetime}.`);
}

function badRequest(message: string): HttpFailure {
  return new HttpFailure(400, { code: "BAD_REQUEST", message });
}

const owner: Identity = { userId: "demo-user", account: "demo-account" };

/** The GPU instance gateway (interface sections 4.2 and 5.2 to 5.5) and its backend services. */
export interface GpuService {
  /** The URL of the backend, which refuses everything that doesn't come through the gateway. */
  readonly backendUrl: string;
  /** An initial token from the token service. */
  readonly stsToken: string;
  handle(request: IncomingMessage, response: ServerResponse, url: URL, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

export async function startGpuService(
  credentials: LastingCredentials,
  options: LocalGatewayOptions,
  now: () => number,
): Promise<GpuService> {
  const key = randomBytes(32);
  const records = serverRecords(options.serverCount, options.seed ?? 1);
  const startedAt = now();
  const backend = await startBackend(() => recordsAt(records, (now() - startedAt) / 1000), key);
  const singleSignOn = await startSingleSignOn(new Map([[credentials.sessionToken, owner]]));
  const stsTokens = new StsTokens(now);
  const context: AuthenticationContext = {
    credentials,
    owner,
    stsTokens,
    signature: { emptyValues: options.emptyValues, encoding: options.signatureEncoding },
    now,
    validateSession: (token) => validateSession(singleSignOn.url, token),
  };
  return {
    backendUrl: backend.url,
    stsToken: await stsTokens.issue(owner, defaultStsLifetime),
    async handle(request, response, url, signal) {
      const permittedTypes = findPermittedTypes(request.method, url.pathname, options);
      const identity = await authenticate(credentialSources(request, url), permittedTypes, context);
      if (url.pathname === stsPath) return issueStsToken(request, response, identity, stsTokens);
      await forward(`${backend.url}/servers`, await signIdentity(identity, key), response, signal);
    },
    async stop() {
      await Promise.all([backend.stop(), singleSignOn.stop()]);
    },
  };
}

const stsPath = "/sts/v1/tokens";

/** Each endpoint permits its own types (interface section 5.5). A temporary token can't be used to get another one. */
function findPermittedTypes(
  method: string | undefined,
  path: string,
  { permittedTypes }: LocalGatewayOptions,
): readonly AuthenticationType[] {
  const endpoints: Readonly<
    Record<string, { readonly method: string; readonly types: typeof permittedTypes }>
  > = {
    "/gpu/api/v1/servers": { method: "GET", types: permittedTypes },
    [stsPath]: { method: "POST", types: ["AK", "SESSION"] },
  };
  const endpoint = endpoints[path];
  if (endpoint === undefined) {
    throw new HttpFailure(404, { code: "NOT_FOUND", message: `There is no ${path} here.` });
  }
  if (endpoint.method !== method) {
    const body = { code: "METHOD_NOT_ALLOWED", message: `Use ${endpoint.method} for ${path}.` };
    throw new HttpFailure(405, body, { allow: endpoint.method });
  }
  return endpoint.types;
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

/** The service behind the gateway: it lists servers and accepts only the gateway's internal token. */
async function startBackend(
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
