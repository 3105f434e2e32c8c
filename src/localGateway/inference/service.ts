import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { inferenceError, readBody, sendJson } from "../http/reply.ts";
import { createAnswer } from "./answers.ts";
import type { DemoState } from "./answers.ts";
import { modelList } from "./catalogue.ts";
import { parseChatRequest } from "./chatRequest.ts";
import { writeStream, writeWhole } from "./completionWriter.ts";
import { forwardUpstream } from "./upstream.ts";

export interface InferenceOptions {
  readonly apiKey: string;
  readonly seed: number;
  readonly tokensPerSecond: number;
  readonly upstream: URL | undefined;
}

export type InferenceHandler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  signal: AbortSignal,
) => Promise<void>;

/** The inference service (interface sections 4.1 and 5.1): everything below `/v1`. */
export function createInferenceService(options: InferenceOptions): InferenceHandler {
  const state: DemoState = { seed: options.seed, refusals: 0 };
  return async (request, response, url, signal) => {
    checkKey(request.headers.authorization, options.apiKey);
    const path = url.pathname.slice("/v1".length);
    const route = `${request.method ?? ""} ${path}`;
    if (options.upstream !== undefined && (route === "POST /chat/completions" || route === "GET /models")) {
      return forwardUpstream(options.upstream, path, request, response, signal);
    }
    switch (route) {
      case "GET /models":
        return sendJson(response, 200, modelList());
      case "POST /chat/completions":
        return complete(request, response, options, state, signal);
      default:
        throw inferenceError(404, `There is no ${route} here.`, "invalid_request_error", "not_found");
    }
  };
}

async function complete(
  request: IncomingMessage,
  response: ServerResponse,
  options: InferenceOptions,
  state: DemoState,
  signal: AbortSignal,
): Promise<void> {
  const chat = parseChatRequest(await readBody(request));
  const answer = createAnswer(chat, state);
  if (chat.stream) await writeStream(response, chat, answer, options.tokensPerSecond, signal);
  else await writeWhole(response, chat, answer, signal);
}

/** `Authorization: Bearer <API_KEY>`; compared in constant time whatever its length. */
function checkKey(header: string | undefined, apiKey: string): void {
  const key = /^Bearer\s+(.+)$/i.exec(header ?? "")?.[1] ?? "";
  if (timingSafeEqual(digest(key), digest(apiKey))) return;
  throw inferenceError(401, "The API key is missing or wrong.", "authentication_error", "invalid_api_key");
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
