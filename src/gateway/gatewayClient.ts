import { t } from "@vscode/l10n";
import type { RetryNotice } from "../core/completion.ts";
import type { GatewayCredential, GatewayCredentialKind } from "../core/credential.ts";
import { ServiceError } from "../core/errors.ts";
import type { Profile } from "../core/profile.ts";
import type { ServerList } from "../core/server.ts";
import type { FieldMapping } from "../core/servers/fieldMapping.ts";
import type { ClockOffset, ClockOffsets } from "./clockOffset.ts";
import { describeCorrection } from "./clockOffset.ts";
import { readClockSample } from "./clockSample.ts";
import { concealSecrets, secretsOfRequest } from "./concealSecrets.ts";
import type { ErrorContext } from "./errorResponse.ts";
import { createResponseError, readErrorResponse } from "./errorResponse.ts";
import { parseErrorText } from "./errorText.ts";
import { authenticateRequest } from "./gatewayRequest.ts";
import { createServersUrl } from "./gatewayUrl.ts";
import type { HttpResponse, Transport } from "./http/transport.ts";
import { readWholeBody } from "./http/wholeBody.ts";
import { describeRequest } from "./requestLabel.ts";
import type { RetryHurry, RetryPolicy } from "./retry.ts";
import { defaultRetryPolicy, runWithRetries } from "./retry.ts";
import { readServerList } from "./servers/readServerList.ts";

/** What the client is told; the functions are asked anew for every attempt. */
export interface GatewayClientOptions {
  readonly transport: Transport;
  readonly profile: Profile;
  /** Undefined where none is set. */
  readCredential(): Promise<GatewayCredential | undefined>;
  /** Shared by all clients, so that what one learns of a server's clock serves the others. */
  readonly clockOffsets: ClockOffsets;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since any start, never set back; `performance.now` unless a test says otherwise. */
  monotonicNow?(): number;
  /** Milliseconds of silence allowed. */
  timeoutMs(): number;
  readonly userAgent: string;
  retryPolicy?(): RetryPolicy;
  random?(): number;
  /** A sentence for the user. */
  onClockCorrected?(sentence: string): void;
  /** One line about each exchange, without secrets. */
  log?(line: string): void;
}

export interface ListServersOptions {
  readonly signal: AbortSignal;
  /** Whether failures that may pass are tried again; not so where a credential is being checked. */
  readonly retry: boolean;
  readonly onRetry?: (notice: RetryNotice) => void;
  readonly hurry?: RetryHurry;
  readonly mapping?: FieldMapping;
}

/** The GPU instance gateway (interface sections 4.2 and 5.2 to 5.4). */
export interface GatewayClient {
  /** `GET /gpu/api/v1/servers`. Rejects with a ServiceError or the signal's reason. Checks the credential on the way. */
  listServers(options: ListServersOptions): Promise<ServerList>;
}

const maxListBytes = 256 * 1024 * 1024;

export function createGatewayClient(options: GatewayClientOptions): GatewayClient {
  return new HttpGatewayClient(options);
}

class HttpGatewayClient implements GatewayClient {
  readonly #options: GatewayClientOptions;

  constructor(options: GatewayClientOptions) {
    this.#options = options;
  }

  async listServers(list: ListServersOptions): Promise<ServerList> {
    const policy = this.#options.retryPolicy?.() ?? defaultRetryPolicy;
    const { random } = this.#options;
    return runWithRetries(() => this.#listOnce(list), {
      policy: list.retry ? policy : { ...policy, maxAttempts: 1 },
      signal: list.signal,
      ...(random === undefined ? {} : { random }),
      ...(list.onRetry === undefined ? {} : { onRetry: list.onRetry }),
      ...(list.hurry === undefined ? {} : { hurry: list.hurry }),
    });
  }

  async #listOnce({ signal, mapping }: ListServersOptions): Promise<ServerList> {
    const url = createServersUrl(this.#options.profile.gatewayUrl);
    const answer = await this.#fetch(url, signal);
    const text = await readWholeBody(answer.response.body, maxListBytes, () => tooLong(answer.context));
    return readList(text, mapping, answer);
  }

  /** A signature that was refused because of the clock is made again, once, by the server's own clock. */
  async #fetch(url: URL, signal: AbortSignal): Promise<Answer> {
    const clock = this.#options.clockOffsets.of(url.origin);
    const signedWithMs = clock.offsetMs;
    const first = await this.#send(url, clock, signal);
    if (isGood(first.response)) return first;
    const error = await readErrorResponse(first.response, first.context);
    signal.throwIfAborted();
    const sample = error.reason === "signature" ? readClockSample(first.response) : undefined;
    // The refusal's own sample may have moved the offset already; what counts is the one that signed.
    if (sample === undefined || !clock.adoptAfterRefusal(sample, signedWithMs)) throw error;
    this.#tellCorrection(clock, first.context);
    const second = await this.#send(url, clock, signal);
    if (isGood(second.response)) return second;
    throw await readErrorResponse(second.response, second.context);
  }

  async #send(url: URL, clock: ClockOffset, signal: AbortSignal): Promise<Answer> {
    const { transport, profile, userAgent } = this.#options;
    const credential = await this.#readCredential();
    signal.throwIfAborted();
    // The nonce comes last: whatever was waited for before would make it older.
    const nonce = Math.floor((this.#options.now() + clock.offsetMs) / 1_000);
    const authenticated = authenticateRequest(url, credential, profile, nonce);
    const response = await transport.request({
      method: "GET",
      url: authenticated.url,
      headers: {
        ...authenticated.headers,
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": userAgent,
      },
      signal,
      timeoutMs: this.#options.timeoutMs(),
      isAuthenticated: true,
      allowInsecureHttp: profile.allowInsecureHttp,
    });
    const context = createContext(authenticated.url, credential);
    this.#noteAnswer(response, context, clock);
    return { response, context };
  }

  async #readCredential(): Promise<GatewayCredential> {
    const credential = await this.#options.readCredential();
    if (credential !== undefined) return credential;
    const kind = this.#options.profile.gatewayCredential;
    throw new ServiceError({
      reason: "missingCredential",
      credential: kind,
      message: missingSentence(kind),
    });
  }

  #noteAnswer(response: HttpResponse, context: ErrorContext, clock: ClockOffset): void {
    const tookMs = Math.round(response.receivedAt - response.sentAt);
    const request = describeRequest(context.method, context.url);
    this.#options.log?.(`${request} answered ${response.statusCode} after ${tookMs} ms`);
    const sample = readClockSample(response);
    if (sample === undefined || isRefusal(response)) return;
    const monotonicMs = this.#options.monotonicNow?.() ?? performance.now();
    const isChanged = clock.observe(sample, { wallMs: this.#options.now(), monotonicMs });
    if (isChanged) this.#tellCorrection(clock, context);
  }

  /** Only who signs is disturbed by it: a token doesn't care for the time. */
  #tellCorrection(clock: ClockOffset, { url, credential }: ErrorContext): void {
    const sentence = describeCorrection(clock.offsetMs, url.host);
    this.#options.log?.(sentence);
    if (credential === "accessKey") this.#options.onClockCorrected?.(sentence);
  }
}

interface Answer {
  readonly response: HttpResponse;
  readonly context: ErrorContext;
}

function createContext(url: URL, credential: GatewayCredential): ErrorContext {
  const secrets = secretsOfRequest(credential, url);
  return { kind: "gateway", credential: credential.kind, method: "GET", url, secrets };
}

/** Reads the list; where it is none, what the server says instead (an error with status 200, a web page) comes first. */
function readList(
  text: string,
  mapping: FieldMapping | undefined,
  { response, context }: Answer,
): ServerList {
  try {
    return mapping === undefined ? readServerList(text) : readServerList(text, mapping);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const said = createResponseError(response, parseErrorText(text), text, context);
    const isTold = said.reason !== "malformed" || said.facts.serverMessage !== undefined;
    const request = describeRequest(context.method, context.url);
    const message = concealSecrets(error.message, context.secrets ?? []);
    const { statusCode } = response;
    throw isTold ? said : new ServiceError({ ...error.facts, message, statusCode, request });
  }
}

function isGood({ statusCode }: HttpResponse): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Its sample is looked at by itself, against the offset that signed. */
function isRefusal({ statusCode }: HttpResponse): boolean {
  return statusCode === 401;
}

function tooLong({ method, url }: ErrorContext): ServiceError {
  const request = describeRequest(method, url);
  return new ServiceError({
    reason: "malformed",
    message: t(
      "The list of servers is longer than 256 MB and was not read. Ask for fewer with serverListQuery in the profile. ({0})",
      request,
    ),
    request,
  });
}

function missingSentence(kind: GatewayCredentialKind): string {
  switch (kind) {
    case "accessKey":
      return t(
        "There is no access key for this profile yet. Run the command “Inference Gateway: Set Access Key”, then retry.",
      );
    case "sessionToken":
      return t(
        "There is no session token for this profile yet. Run the command “Inference Gateway: Set Session Token”, then retry.",
      );
    case "stsToken":
      return t(
        "There is no STS token for this profile yet. Run the command “Inference Gateway: Set STS Token”, then retry.",
      );
  }
}
