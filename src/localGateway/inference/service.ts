import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { HttpFailure, inferenceError, readBody, sendJson } from "../http/reply.ts";
import { findModel, modelEntry, modelList } from "./catalogue.ts";
import { complete } from "./complete.ts";
import type { CompletionContext } from "./complete.ts";
import { parseChatRequest, parseJsonBody } from "./parseChatRequest.ts";
import { forwardUpstream } from "./upstream.ts";

export interface InferenceOptions {
  readonly apiKey: string;
  readonly seed: number;
  readonly tokensPerSecond: number;
  readonly upstream: URL | undefined;
  /** Milliseconds since 1970 by the gateway's own clock. */
  now(): number;
}

export type InferenceHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  signal: AbortSignal,
) => Promise<void>;

/** The inference service (interface sections 4.1 and 5.1): everything below `/v1`. */
export function createInferenceService(options: InferenceOptions): InferenceHandler {
  const { upstream, tokensPerSecond, now } = options;
  const context: CompletionContext = { state: { seed: options.seed, refusals: 0 }, tokensPerSecond, now };
  return async (request, response, url, signal) => {
    checkKey(request.headers.authorization, options.apiKey);
    const path = url.pathname.slice("/v1".length);
    requireMethod(request.method, path);
    if (path === "/chat/completions") requireJson(request.headers["content-type"]);
    if (upstream !== undefined) return forwardUpstream(upstream, path, request, response, signal);
    if (path === "/models") return sendJson(response, 200, modelList());
    if (path.startsWith(modelPath)) return sendJson(response, 200, findEntry(path.slice(modelPath.length)));
    await complete(parseChatRequest(parseJsonBody(await readBody(request))), response, context, signal);
  };
}

const modelPath = "/models/";

function requireMethod(method: string | undefined, path: string): void {
  const isModels = path === "/models" || path.startsWith(modelPath);
  if (!isModels && path !== "/chat/completions") {
    throw inferenceError(404, `There is no /v1${path} here.`, "invalid_request_error", "not_found");
  }
  const allowed = isModels ? "GET" : "POST";
  if (method === allowed) return;
  const { statusCode, body } = inferenceError(
    405,
    `Use ${allowed} for /v1${path}.`,
    "invalid_request_error",
    "method_not_allowed",
  );
  throw new HttpFailure(statusCode, body, { allow: allowed });
}

/** Interface section 4.1. It also keeps web pages out, which can't send this type without asking first. */
function requireJson(contentType: string | undefined): void {
  if (/^application\/json\s*(?:;|$)/i.test(contentType ?? "")) return;
  const message = "The header Content-Type must be application/json.";
  throw inferenceError(415, message, "invalid_request_error", "unsupported_media_type");
}

/** The identifier holds a slash, which clients send as it is or encoded. */
function findEntry(name: string): unknown {
  const model = findModel(name.replaceAll(/%2f/gi, "/"));
  if (model !== undefined) return modelEntry(model);
  throw inferenceError(404, "This model does not exist.", "invalid_request_error", "model_not_found");
}

/** `Authorization: Bearer <API_KEY>`; compared in constant time whatever its length. */
function checkKey(header: string | undefined, apiKey: string): void {
  const key = /^Bearer\s+(\S.*)$/i.exec(header ?? "")?.[1] ?? "";
  if (timingSafeEqual(digest(key), digest(apiKey))) return;
  throw inferenceError(401, "The API key is missing or wrong.", "authentication_error", "invalid_api_key");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
