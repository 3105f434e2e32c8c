import { t } from "@vscode/l10n";
import type {
  CompletionObserver,
  CompletionPort,
  CompletionRequest,
  ExchangeObserver,
  Model,
} from "../../core/conversation/completion.ts";
import { Adaptations, isNoticeable } from "../../core/conversation/adaptations.ts";
import type { ModelOptions } from "../../core/account/modelOptions.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { isLoopbackHost } from "../../core/kernel/httpAddress.ts";
import { parseErrorText } from "../errors/serverText.ts";
import { describeRequest } from "../errors/errorMessage.ts";
import { createResponseError, readErrorResponse, readErrorText } from "../http/errorResponse.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import { sendObserved } from "../http/observedRequest.ts";
import { defaultRetryPolicy, runWithRetries } from "../http/retry.ts";
import type { RetryPolicy } from "../http/retry.ts";
import { isGood } from "../http/transport.ts";
import type { HttpMethod, Transport } from "../http/transport.ts";
import { readWholeBody } from "../http/decodeBody.ts";
import { startCompletion } from "./completionRun.ts";
import type { OpenedCompletion } from "./completionRun.ts";
import { createInferenceUrl } from "./inferenceUrl.ts";
import { parseModels } from "./models.ts";
import { defaultCompletionLimits, namingTool } from "./completionErrors.ts";
import type { CompletionLimits } from "./completionErrors.ts";
import { findAdaptation, rejectedInput } from "./findAdaptation.ts";
import { createRequestBody, withModelOptions } from "./requestBody.ts";

/** The options of the client. The functions are called again for every request. */
export interface InferenceClientOptions extends InferenceSenderOptions {
  /** Includes `/v1`. */
  readonly baseUrl: string;
  retryPolicy?(): RetryPolicy;
  /** Other limits than the usual ones, for tests. */
  readonly limits?: CompletionLimits;
  random?(): number;
  /** What the user has set for a model. */
  modelOptions?(model: string): ModelOptions;
  /** The name of the profile. */
  readonly profile?: string;
  /** What other clients have learned about the models. */
  readonly adaptations?: Adaptations;
}

/** The inference service (interface sections 4.1 and 5.1). */
export interface InferenceClient extends CompletionPort {
  /** `GET /v1/models`. Rejects with a ServiceError or the signal's reason. Also checks the key. */
  listModels(signal: AbortSignal, options?: { readonly retry?: boolean }): Promise<readonly Model[]>;
}

/** A server that rejects more than this of one request rejects the request. */
const mostAdaptations = 4;
const maxModelBytes = 16 * 1024 * 1024;

/** A client for the inference service of one profile. */
export function createInferenceClient(options: InferenceClientOptions): InferenceClient {
  const { baseUrl, log = () => undefined } = options;
  const readPolicy = (): RetryPolicy => options.retryPolicy?.() ?? defaultRetryPolicy;
  const random = (): number => options.random?.() ?? Math.random();
  const adaptations = options.adaptations ?? new Adaptations(() => Date.now());
  const optionsOf = (model: string): ModelOptions => options.modelOptions?.(model) ?? {};

  /**
   * A server that rejects the request and names why gets it once more with the smallest change that its words name.
   * Later requests to the model are sent in the accepted form from the start.
   */
  async function openCompletion(
    request: CompletionRequest,
    signal: AbortSignal,
    { exchange, onOmitted }: CompletionObserver,
  ): Promise<OpenedCompletion> {
    const url = createInferenceUrl(baseUrl, "/chat/completions");
    const target = { profile: options.profile ?? "", baseUrl, model: request.model };
    const { systemRole } = optionsOf(request.model);
    const known = adaptations.of(target).map(({ adaptation }) => adaptation);
    const learned = (request.adaptations ?? []).map((adaptation) => ({ adaptation, words: "" }));
    for (;;) {
      const all = [...new Set([...known, ...learned.map(({ adaptation }) => adaptation)])];
      const { body, used } = createRequestBody(request, { baseUrl, systemRole, adaptations: all });
      const opened = await sendInference(options, { url, signal, body, exchange });
      const { response, context } = opened;
      if (isGood(response)) {
        adaptations.remember(
          target,
          learned.filter(({ adaptation }) => !known.includes(adaptation)),
        );
        const noticed = used.filter(isNoticeable);
        if (noticed.length > 0) onOmitted?.({ adaptations: noticed });
        return opened;
      }
      const text = await readErrorText(response);
      const error = createResponseError(response, parseErrorText(text), text, context);
      const words = error.facts.serverMessage ?? "";
      const input = rejectedInput(request, error.facts);
      // The composer warns about it from now on, even if the user has to decide about this request.
      if (input !== undefined) adaptations.remember(target, [{ adaptation: `input:${input}`, words }]);
      const adaptation = findAdaptation(request, error.facts, text);
      if (adaptation === undefined || all.includes(adaptation) || learned.length >= mostAdaptations)
        throw namingTool(error, text, request);
      learned.push({ adaptation, words });
      log("The server rejected the format of the request. Retrying in the format that it names");
      exchange?.onFailure(error, 0);
    }
  }

  async function fetchModels(signal: AbortSignal): Promise<readonly Model[]> {
    const url = createInferenceUrl(baseUrl, "/models");
    const { response, context } = await sendInference(options, { url, signal });
    if (!isGood(response)) throw await readErrorResponse(response, context);
    const text = await readWholeBody(response.body, maxModelBytes, () => tooLong(context));
    const models = parseModels(parseJson(text.replace(/^\ufeff/, "")));
    if (models !== undefined) return models;
    throw createResponseError(response, parseErrorText(text), text, context);
  }

  return {
    complete: (request, observer) =>
      startCompletion({
        open: (signal) =>
          openCompletion(withModelOptions(request, optionsOf(request.model)), signal, observer),
        observer: logRetries(observer, log),
        policy: readPolicy(),
        random,
        reading: {
          limits: options.limits ?? defaultCompletionLimits,
          origin: { baseUrl, model: request.model },
        },
      }),
    async listModels(signal, { retry = false } = {}) {
      const policy = { ...readPolicy(), ...(retry ? {} : { maxAttempts: 1 }) };
      return runWithRetries(() => fetchModels(signal), { policy, signal, random });
    },
  };
}

function logRetries(observer: CompletionObserver, log: (line: string) => void): CompletionObserver {
  return {
    ...observer,
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
      "The list of models is longer than 16 MB and wasn't read. Check the profile's base URL. ({0})",
      request,
    ),
    request,
  });
}

/** The options of the sender. The functions are called again for every request. */
export interface InferenceSenderOptions {
  readonly transport: Transport;
  /** Undefined if no credential is set. */
  readApiKey(): Promise<string | undefined>;
  /** A key other than the one that the service refused; undefined if there is none. */
  renewApiKey?(refused: string): Promise<string | undefined>;
  /** Maximum idle time in milliseconds (interface section 8: 600 s unless the user sets it). */
  timeoutMs(): number;
  /** Extra headers of the profile; they don't replace those that the client sets itself. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent: string;
  readonly allowInsecureHttp: boolean;
  /** The page where the user creates keys. */
  readonly consoleUrl?: string | undefined;
  /** Whether requests are sent without a key if none is set. */
  readonly isKeyOptional?: boolean;
  /** One line about each exchange, without secrets. */
  log?(line: string): void;
}

interface InferenceSend {
  /** By default, a request with a body is a POST, and one without is a GET. */
  readonly method?: HttpMethod;
  readonly url: URL;
  readonly signal: AbortSignal;
  /** JSON. */
  readonly body?: string;
  readonly exchange?: ExchangeObserver | undefined;
}

/**
 * Sends a request with the profile's key, and once more if the service refuses the key and there is another one.
 * Resolves with any status that the service returns.
 */
export async function sendInference(
  options: InferenceSenderOptions,
  request: InferenceSend,
): Promise<OpenedCompletion> {
  const apiKey = await readKey(options, request.url);
  const first = await sendWithKey(options, request, apiKey);
  if (first.response.statusCode !== 401 || apiKey === undefined) return first;
  const renewed = await options.renewApiKey?.(apiKey);
  if (renewed === undefined) return first;
  // Read in any case, because an unread body would keep its connection.
  const refusal = await readErrorResponse(first.response, first.context);
  request.exchange?.onFailure(refusal, 0);
  return sendWithKey(options, request, renewed);
}

async function sendWithKey(
  options: InferenceSenderOptions,
  { url, signal, body, exchange, method = body === undefined ? "GET" : "POST" }: InferenceSend,
  apiKey: string | undefined,
): Promise<OpenedCompletion> {
  signal.throwIfAborted();
  const secrets = apiKey === undefined ? [] : [apiKey];
  const response = await sendObserved(options.transport, exchange, secrets, {
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
  options.log?.(`${describeRequest(method, url)} returned ${response.statusCode} after ${tookMs} ms`);
  const isKeyless = apiKey === undefined;
  return {
    response,
    context: { kind: "inference", method, url, secrets, isKeyless, consoleUrl: options.consoleUrl },
  };
}

/** Only a server on this machine, or one that is configured to need no key, gets requests without one. */
async function readKey(options: InferenceSenderOptions, url: URL): Promise<string | undefined> {
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
  options: InferenceSenderOptions,
  apiKey: string | undefined,
  hasBody: boolean,
): Readonly<Record<string, string>> {
  const extra = Object.entries(options.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]);
  return {
    ...Object.fromEntries(extra),
    accept: hasBody ? "text/event-stream, application/json" : "application/json",
    // A compressing proxy would hold back tokens until its block is full.
    "accept-encoding": "identity",
    "user-agent": options.userAgent,
    ...(hasBody ? { "content-type": "application/json" } : {}),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
}
