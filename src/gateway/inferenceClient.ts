import { t } from "@vscode/l10n";
import type {
  CompletionObserver,
  CompletionPort,
  CompletionRequest,
  ExchangeObserver,
  Model,
} from "../core/completion.ts";
import { ServiceError } from "../core/errors.ts";
import { isLoopbackHost } from "../core/loopback.ts";
import type { OpenedCompletion } from "./completion/completionRun.ts";
import { startCompletion } from "./completion/completionRun.ts";
import { parseModels } from "./completion/models.ts";
import { createRequestBody } from "./completion/requestBody.ts";
import type { ErrorContext } from "./errorResponse.ts";
import { createResponseError, readErrorResponse, readErrorText } from "./errorResponse.ts";
import { parseErrorText } from "./errorText.ts";
import type { HttpResponse, Transport } from "./http/transport.ts";
import { sendObserved } from "./observedRequest.ts";
import { readWholeBody } from "./http/wholeBody.ts";
import { createInferenceUrl } from "./inferenceUrl.ts";
import { describeRequest } from "./requestLabel.ts";
import type { RetryPolicy } from "./retry.ts";
import { defaultRetryPolicy, runWithRetries } from "./retry.ts";

/** What the client is told; the functions are asked anew for every request. */
export interface InferenceClientOptions {
  readonly transport: Transport;
  /** With its `/v1`. */
  readonly baseUrl: string;
  /** Undefined where none is set. */
  readApiKey(): Promise<string | undefined>;
  /** Milliseconds of silence allowed (interface section 8: 600 s unless the user says otherwise). */
  timeoutMs(): number;
  /** Extra headers of the profile; those that the client sets itself are not replaced. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly allowInsecureHttp: boolean;
  /** Whether the service is asked without a key where none is set. */
  readonly isKeyOptional?: boolean;
  retryPolicy?(): RetryPolicy;
  random?(): number;
  /** One line about each exchange, without secrets. */
  log?(line: string): void;
}

/** The inference service (interface sections 4.1 and 5.1). */
export interface InferenceClient extends CompletionPort {
  /** `GET /v1/models`. Rejects with a ServiceError or the signal's reason. Checks the key on the way. */
  listModels(signal: AbortSignal, options?: { readonly retry?: boolean }): Promise<readonly Model[]>;
}

const maxModelBytes = 16 * 1024 * 1024;

export function createInferenceClient(options: InferenceClientOptions): InferenceClient {
  const { transport, log = () => undefined } = options;
  const readPolicy = (): RetryPolicy => options.retryPolicy?.() ?? defaultRetryPolicy;
  const random = (): number => options.random?.() ?? Math.random();
  let acceptsStreamOptions = true;

  async function send(
    url: URL,
    signal: AbortSignal,
    body?: string,
    exchange?: ExchangeObserver,
  ): Promise<OpenedCompletion> {
    const method = body === undefined ? "GET" : "POST";
    const apiKey = await readKey(options, url);
    signal.throwIfAborted();
    const secrets = apiKey === undefined ? [] : [apiKey];
    const response = await sendObserved(transport, exchange, secrets, {
      method,
      url,
      headers: createHeaders(options, apiKey, body !== undefined),
      ...(body === undefined ? {} : { body }),
      signal,
      timeoutMs: options.timeoutMs(),
      isAuthenticated: apiKey !== undefined,
      allowInsecureHttp: options.allowInsecureHttp,
    });
    const tookMs = Math.round(response.receivedAt - response.sentAt);
    log(`${describeRequest(method, url)} answered ${response.statusCode} after ${tookMs} ms`);
    return { response, context: { kind: "inference", method, url, secrets } };
  }

  /** Some strict servers refuse `stream_options`: they are asked once more without it, and never again with it. */
  async function openCompletion(
    request: CompletionRequest,
    signal: AbortSignal,
    exchange?: ExchangeObserver,
  ): Promise<OpenedCompletion> {
    const url = createInferenceUrl(options.baseUrl, "/chat/completions");
    const withUsage = acceptsStreamOptions;
    const first = await send(url, signal, createRequestBody(request, withUsage), exchange);
    const { response, context } = first;
    if (isGood(response)) return first;
    const text = await readErrorText(response);
    const error = createResponseError(response, parseErrorText(text), text, context);
    const isRefused =
      (response.statusCode === 400 || response.statusCode === 422) && isAboutStreamOptions(text);
    if (!withUsage || !request.stream || !isRefused) throw error;
    log("The server refuses stream_options: asking again without it");
    exchange?.onFailure(error, 0);
    const second = await send(url, signal, createRequestBody(request, false), exchange);
    if (!isGood(second.response)) throw await readErrorResponse(second.response, second.context);
    acceptsStreamOptions = false;
    return second;
  }

  async function fetchModels(signal: AbortSignal): Promise<readonly Model[]> {
    const url = createInferenceUrl(options.baseUrl, "/models");
    const { response, context } = await send(url, signal);
    if (!isGood(response)) throw await readErrorResponse(response, context);
    const text = await readWholeBody(response.body, maxModelBytes, () => tooLong(context));
    const models = parseModels(parseJson(text));
    if (models !== undefined) return models;
    throw createResponseError(response, parseErrorText(text), text, context);
  }

  return {
    complete: (request, observer) =>
      startCompletion({
        open: (signal) => openCompletion(request, signal, observer.exchange),
        observer: logRetries(observer, log),
        policy: readPolicy(),
        random,
      }),
    listModels(signal, { retry = false } = {}) {
      const policy = { ...readPolicy(), ...(retry ? {} : { maxAttempts: 1 }) };
      return runWithRetries(() => fetchModels(signal), { policy, signal, random });
    },
  };
}

function logRetries(observer: CompletionObserver, log: (line: string) => void): CompletionObserver {
  return {
    ...(observer.exchange === undefined ? {} : { exchange: observer.exchange }),
    onResponse: (response) => observer.onResponse?.(response),
    onRetry(notice) {
      const { attempt, maxAttempts, waitMs, error } = notice;
      log(`Attempt ${attempt} of ${maxAttempts} in ${waitMs} ms: ${error.reason}`);
      observer.onRetry?.(notice);
    },
  };
}

function tooLong({ method, url }: ErrorContext): ServiceError {
  const request = describeRequest(method, url);
  return new ServiceError({
    reason: "malformed",
    message: t(
      "The list of models is longer than 16 MB and was not read. Check the base URL of the profile. ({0})",
      request,
    ),
    request,
  });
}

/** Only a server on this machine, or one that is said to want none, is asked without a key. */
async function readKey(options: InferenceClientOptions, url: URL): Promise<string | undefined> {
  const apiKey = (await options.readApiKey())?.trim();
  if (apiKey) return apiKey;
  if (options.isKeyOptional === true || isLoopbackHost(url.hostname)) return undefined;
  throw new ServiceError({
    reason: "missingCredential",
    credential: "apiKey",
    message: t("There is no API key for this profile yet. Set the API key, then retry."),
  });
}

function createHeaders(
  options: InferenceClientOptions,
  apiKey: string | undefined,
  hasBody: boolean,
): Readonly<Record<string, string>> {
  const extra = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...Object.fromEntries(extra),
    accept: hasBody ? "text/event-stream, application/json" : "application/json",
    // A compressor on the way would hold back tokens until its block is full.
    "accept-encoding": "identity",
    "user-agent": options.userAgent,
    ...(hasBody ? { "content-type": "application/json" } : {}),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
}

function isGood(response: HttpResponse): boolean {
  return response.statusCode >= 200 && response.statusCode < 300;
}

function isAboutStreamOptions(text: string): boolean {
  return /stream_options|include_usage/.test(text);
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ""));
    return value;
  } catch {
    return undefined;
  }
}
