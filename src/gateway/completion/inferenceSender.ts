import { t } from "@vscode/l10n";
import type { ExchangeObserver } from "../../core/conversation/completion.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import { isLoopbackHost } from "../../core/kernel/loopback.ts";
import type { OpenedCompletion } from "./completionRun.ts";
import type { Transport } from "../http/transport.ts";
import { sendObserved } from "../http/observedRequest.ts";
import { describeRequest } from "../errors/requestLabel.ts";

/** What the sender is told; the functions are asked anew for every request. */
export interface InferenceSenderOptions {
  readonly transport: Transport;
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
  /** One line about each exchange, without secrets. */
  log?(line: string): void;
}

export interface InferenceSend {
  readonly url: URL;
  readonly signal: AbortSignal;
  /** JSON; what has one is posted. */
  readonly body?: string;
  readonly exchange?: ExchangeObserver | undefined;
}

/** Sends a request once, with the key of the profile. Resolves with whatever status the service answers. */
export async function sendInference(
  options: InferenceSenderOptions,
  { url, signal, body, exchange }: InferenceSend,
): Promise<OpenedCompletion> {
  const method = body === undefined ? "GET" : "POST";
  const apiKey = await readKey(options, url);
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
  options.log?.(`${describeRequest(method, url)} answered ${response.statusCode} after ${tookMs} ms`);
  const isKeyless = apiKey === undefined;
  return { response, context: { kind: "inference", method, url, secrets, isKeyless } };
}

/** Only a server on this machine, or one that is said to want none, is asked without a key. */
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
    // A compressor on the way would hold back tokens until its block is full.
    "accept-encoding": "identity",
    "user-agent": options.userAgent,
    ...(hasBody ? { "content-type": "application/json" } : {}),
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
}
