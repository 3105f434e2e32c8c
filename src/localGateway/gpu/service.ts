import type { IncomingMessage, ServerResponse } from "node:http";
import { isRecord, parseJson } from "../../core/kernel/json.ts";
import { HttpFailure, readBody, sendJson } from "../http/reply.ts";
import type { Handler } from "../http/reply.ts";
import type { AuthenticationType, ServiceOptions, LastingCredentials } from "../kernel/options.ts";
import { authenticate, credentialSources } from "./authenticate.ts";
import type { AuthenticationContext } from "./authenticate.ts";
import { DemoServers } from "./demoServers.ts";
import { StsTokens } from "./stsTokens.ts";
import type { Identity } from "./stsTokens.ts";

/** In seconds; both limits are ours. */
const defaultStsLifetime = 3600;
const longestStsLifetime = 12 * 3600;
/** The demo's own token must not expire while the gateway runs, and every start issues another one. */
const demoStsLifetime = 365 * 24 * 3600;

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

/** The GPU instance gateway (interface sections 4.2 and 5.2 to 5.5). */
interface GpuService {
  /** An initial token from the token service. */
  readonly stsToken: string;
  readonly servers: DemoServers;
  readonly handle: Handler;
}

/**
 * Creates the GPU part of the local gateway.
 * @param now Milliseconds since 1970.
 */
export async function createGpuService(
  credentials: LastingCredentials,
  options: ServiceOptions,
  now: () => number,
): Promise<GpuService> {
  const servers = new DemoServers(options.serverCount, options.seed ?? 1, now);
  const stsTokens = new StsTokens(now);
  const context: AuthenticationContext = {
    credentials,
    owner,
    stsTokens,
    signature: { emptyValues: options.emptyValues, encoding: options.signatureEncoding },
    now,
  };
  return {
    stsToken: await stsTokens.issue(owner, demoStsLifetime),
    servers,
    async handle(request, response, url) {
      const permittedTypes = findPermittedTypes(request.method, url.pathname, options);
      const identity = await authenticate(credentialSources(request, url), permittedTypes, context);
      if (url.pathname === stsPath) return issueStsToken(request, response, identity, stsTokens);
      const [, id, action] = actionPath.exec(url.pathname) ?? [];
      if (id !== undefined && action !== undefined) {
        servers.run(id, action);
        return sendJson(response, 200, { code: 0, message: "accepted" });
      }
      const list = servers.list();
      const data = { account: identity.account, total: list.length, list };
      return sendJson(response, 200, { code: 0, message: "ok", data });
    },
  };
}

const stsPath = "/sts/v1/tokens";
const actionPath = /^\/gpu\/api\/v1\/servers\/([\w-]{1,60})\/(\w{1,20})$/;

/** Each endpoint permits its own types (interface section 5.5). A temporary token can't be used to get another one. */
function findPermittedTypes(
  method: string | undefined,
  path: string,
  { permittedTypes }: ServiceOptions,
): readonly AuthenticationType[] {
  const endpoints: Readonly<
    Record<string, { readonly method: string; readonly types: typeof permittedTypes }>
  > = {
    "/gpu/api/v1/servers": { method: "GET", types: permittedTypes },
    [stsPath]: { method: "POST", types: ["AK", "SESSION"] },
  };
  const endpoint = actionPath.test(path) ? { method: "POST", types: permittedTypes } : endpoints[path];
  if (endpoint === undefined) {
    throw new HttpFailure(404, { code: "NOT_FOUND", message: `There is no ${path} here.` });
  }
  if (endpoint.method !== method) {
    const body = { code: "METHOD_NOT_ALLOWED", message: `Use ${endpoint.method} for ${path}.` };
    throw new HttpFailure(405, body, { allow: endpoint.method });
  }
  return endpoint.types;
}
