import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isRecord, parseJson } from "../../core/kernel/json.ts";
import { listenOnLoopback } from "../http/listen.ts";
import type { LoopbackService } from "../http/listen.ts";
import { HttpFailure, readBody, sendJson } from "../http/reply.ts";
import type { Handler } from "../http/reply.ts";
import type { AuthenticationType, ServiceOptions, LastingCredentials } from "../kernel/options.ts";
import { pick, seededRandom } from "../kernel/seededRandom.ts";
import { authenticate, credentialSources, startSingleSignOn, validateSession } from "./authenticate.ts";
import type { AuthenticationContext } from "./authenticate.ts";
import { signIdentity, verifyIdentity } from "./identityToken.ts";
import type { Identity } from "./identityToken.ts";
import { StsTokens } from "./stsTokens.ts";

/** The states that a server goes through, with the duration of each in seconds. */
const cycle = [
  { status: "Running", seconds: 120 },
  { status: "Stopping", seconds: 10 },
  { status: "Stopped", seconds: 35 },
  { status: "Provisioning", seconds: 15 },
] as const;
const cycleSeconds = cycle.reduce((sum, { seconds }) => sum + seconds, 0);

/** One in this many servers is busy; the others stay in their initial state. */
const busyEvery = 4;

/** The state of a server that started with `first`, after this many seconds. Transitional states always end. */
export function statusAt(first: string, index: number, seconds: number): string {
  const isPassing = first === "Provisioning" || first === "Stopping";
  const begin = cycle.findIndex(({ status }) => status === first);
  if (begin === -1 || (!isPassing && index % busyEvery !== 1)) return first;
  let left = seconds % cycleSeconds;
  for (let step = begin; ; step++) {
    const state = cycle[step % cycle.length];
    if (state === undefined || left < state.seconds) return state?.status ?? first;
    left -= state.seconds;
  }
}

/** A server in the format of our backend. The interface doesn't specify the fields (section 2.4). */
interface ServerRecord {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly region: string;
  readonly gpu: { readonly model: string; readonly count: number; readonly memory_gb: number };
  readonly vcpus: number;
  readonly memory_gb: number;
  readonly public_ip: string | null;
  readonly private_ip: string;
  readonly image: string;
  readonly price_per_hour: string;
  readonly currency: string;
  readonly created_at: string;
}

const gpus = [
  { model: "NVIDIA H100 SXM", memory_gb: 80 },
  { model: "NVIDIA H200 SXM", memory_gb: 141 },
  { model: "NVIDIA A100", memory_gb: 80 },
  { model: "NVIDIA L40S", memory_gb: 48 },
  { model: "NVIDIA RTX 4090", memory_gb: 24 },
] as const;
const regions = ["eu-north-1", "eu-west-2", "us-east-1", "us-west-2", "ap-south-1"] as const;
const states = [
  "Running",
  "Running",
  "Running",
  "Stopped",
  "Provisioning",
  "Stopping",
  "Error",
  "Pending Recovery",
] as const;
const purposes = ["trainer", "inference", "notebook", "finetune", "batch", "eval", "render"] as const;
const images = ["ubuntu-24.04-cuda-12.8", "ubuntu-22.04-pytorch-2.6", "debian-12-cuda-12.4"] as const;
const firstCreation = Date.UTC(2026, 0, 5, 9, 30);

/** Returns the same servers for the same seed. */
export function serverRecords(count: number, seed: number): readonly ServerRecord[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, index) => serverRecord(index, random));
}

/** The same servers this many seconds after the gateway has started; their states change over time. */
export function recordsAt(records: readonly ServerRecord[], seconds: number): readonly ServerRecord[] {
  return records.map((record, index) => {
    const status = statusAt(record.status, index, seconds);
    return status === record.status ? record : { ...record, status, public_ip: publicAddress(status, index) };
  });
}

function publicAddress(status: string, index: number): string | null {
  return status === "Running" || status === "Stopping" ? `203.0.113.${(index % 254) + 1}` : null;
}

function serverRecord(index: number, random: () => number): ServerRecord {
  const gpu = pick(random, gpus);
  const count = pick(random, [1, 1, 2, 4, 8]);
  const status = pick(random, states);
  return {
    id: `srv-${hex(random, 8)}${index.toString(16).padStart(4, "0")}`,
    name: `${pick(random, purposes)}-${String(index + 1).padStart(2, "0")}`,
    status,
    region: pick(random, regions),
    gpu: { ...gpu, count },
    vcpus: count * 16,
    memory_gb: count * 128,
    public_ip: publicAddress(status, index),
    private_ip: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
    image: pick(random, images),
    price_per_hour: (count * (1 + random() * 2)).toFixed(2),
    currency: "USD",
    created_at: new Date(firstCreation + Math.floor(random() * 2e7) * 1000).toISOString(),
  };
}

function hex(random: () => number, length: number): string {
  return Array.from({ length }, () => Math.floor(random() * 16).toString(16)).join("");
}

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

/** The GPU instance gateway (interface sections 4.2 and 5.2 to 5.5) and its backend services. */
interface GpuService {
  /** The URL of the backend, which refuses everything that doesn't come through the gateway. */
  readonly backendUrl: string;
  /** An initial token from the token service. */
  readonly stsToken: string;
  readonly handle: Handler;
  stop(): Promise<void>;
}

/**
 * Starts the GPU part of the local gateway and its backend.
 * @param now Milliseconds since 1970.
 */
export async function startGpuService(
  credentials: LastingCredentials,
  options: ServiceOptions,
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
    stsToken: await stsTokens.issue(owner, demoStsLifetime),
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
  { permittedTypes }: ServiceOptions,
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

/** The backend service that the gateway calls: it lists servers and accepts only the gateway's internal token. */
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
