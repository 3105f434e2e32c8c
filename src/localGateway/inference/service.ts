import { createHash, timingSafeEqual } from "node:crypto";
import type { JsonRecord } from "../../core/kernel/json.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { HttpFailure, inferenceError, readBody, sendJson } from "../http/reply.ts";
import type { Handler } from "../http/reply.ts";
import { demoModels, modelList } from "./catalog.ts";
import { parseChatRequest } from "./chatRequest.ts";
import { complete } from "./complete.ts";
import type { CompletionContext } from "./complete.ts";

/** The inference service (interface sections 4.1 and 5.1): everything below `/v1`. */
export function createInferenceService(apiKey: string, context: CompletionContext): Handler {
  const models = [...demoModels, ...context.extraModels.map(({ model }) => model)];
  return async (request, response, url, signal) => {
    checkKey(request.headers.authorization, apiKey);
    const path = url.pathname.slice("/v1".length);
    requireMethod(request.method, path);
    if (path === "/models") return sendJson(response, 200, modelList(models));
    requireJson(request.headers["content-type"]);
    const body = parseJsonBody(await readBody(request));
    await complete(parseChatRequest(body, models), response, context, signal);
  };
}

function requireMethod(method: string | undefined, path: string): void {
  const isModels = path === "/models";
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

/**
 * Interface section 4.1. It also keeps web pages out, which can't send this content type without a preflight request.
 */
function requireJson(contentType: string | undefined): void {
  if (/^application\/json\s*(?:;|$)/i.test(contentType ?? "")) return;
  const message = "The header Content-Type must be application/json.";
  throw inferenceError(415, message, "invalid_request_error", "unsupported_media_type");
}

/** `Authorization: Bearer <API_KEY>`, compared in constant time regardless of its length. */
function checkKey(header: string | undefined, apiKey: string): void {
  const key = /^Bearer\s+(\S.*)$/i.exec(header ?? "")?.[1] ?? "";
  if (timingSafeEqual(digest(key), digest(apiKey))) return;
  throw inferenceError(401, "The API key is missing or wrong.", "authentication_error", "invalid_api_key");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}

/** The body as a JSON object. Anything else is rejected. */
function parseJsonBody(text: string): JsonRecord {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidJson("The body of the request is not JSON.");
  }
  if (!isRecord(value)) throw invalidJson("The body of the request is not a JSON object.");
  return value;
}

function invalidJson(message: string): HttpFailure {
  return inferenceError(400, message, "invalid_request_error", "invalid_json");
}
