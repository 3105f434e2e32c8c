import { t } from "@vscode/l10n";
import type { GatewayCredential, GatewayCredentialKind } from "../../core/kernel/credential.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { ClockOffset, ClockOffsets } from "./clockOffset.ts";
import { describeCorrection, readClockSample } from "./clockOffset.ts";
import { parseErrorText, secretsOfRequest } from "../errors/serverText.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import { createResponseError, readErrorText } from "../http/errorResponse.ts";
import { authenticateRequest, signedContent } from "./gatewayRequest.ts";
import type { HttpMethod, HttpResponse, Transport } from "../http/transport.ts";
import { takeNonce } from "./nonces.ts";
import { findAlternativeClock } from "./alternativeClock.ts";
import { clockEvidence, explainRefusal } from "./refusalCause.ts";
import { describeRequest } from "../errors/errorMessage.ts";
import { credentialKinds } from "../../core/account/credentialKinds.ts";

/** The options of the sender. The functions are called again for every attempt. */
export interface GatewaySenderOptions {
  readonly transport: Transport;
  readonly profile: Profile;
  /** Undefined if no credential is set. */
  readCredential(): Promise<GatewayCredential | undefined>;
  /** Whether there is a credential other than the one that the gateway refused. */
  renewCredential?(refused: GatewayCredential): Promise<boolean>;
  /** Shared by all senders, so that what one learns about a server's clock benefits the others. */
  readonly clockOffsets: ClockOffsets;
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds since any starting point; `performance.now` unless a test overrides it. */
  monotonicNow?(): number;
  /** Maximum idle time in milliseconds. */
  timeoutMs(): number;
  readonly userAgent: string;
  /** A sentence for the user. */
  onClockCorrected?(sentence: string): void;
  /** One line about each exchange, without secrets. */
  log?(line: string): void;
}

interface GatewaySend {
  readonly method: HttpMethod;
  /** Includes its own parameters; those of the credential and of the profile's `serverListQuery` are added. */
  readonly url: URL;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Called with the response for which the error is thrown, with as much of its body as is worth reading. */
  readonly onFailed?: (failed: FailedResponse) => void;
}

/** A response that was refused or failed, with as much of its body as is worth reading. */
export interface FailedResponse {
  readonly answer: GatewayResponse;
  readonly text: string;
}

/** A response along with what is needed to classify its errors. */
export interface GatewayResponse {
  readonly response: HttpResponse;
  readonly context: ErrorContext;
}

/**
 * Sends requests to the gateway with the profile's credential (interface section 5). If a signature is refused, the
 * clock is checked first, and the request is signed and sent once more if time may have been the cause.
 */
export class GatewaySender {
  readonly #options: GatewaySenderOptions;

  constructor(options: GatewaySenderOptions) {
    this.#options = options;
  }

  /**
   * Resolves with a successful response (2xx). Rejects with a ServiceError that identifies the cause, or with the
   * signal's reason.
   */
  async send(request: GatewaySend): Promise<GatewayResponse> {
    const { clockOffsets } = this.#options;
    const clock = clockOffsets.of(request.url.origin);
    const signedWithMs = clock.offsetMs;
    let first = await this.#sendOnce(request, signedWithMs, clock);
    if (isGood(first.response)) return first;
    let failure = await readFailure(first);
    if (await this.#renews(first, failure)) {
      request.signal.throwIfAborted();
      first = await this.#sendOnce(request, signedWithMs, clock);
      if (isGood(first.response)) return first;
      failure = await readFailure(first);
    }
    request.signal.throwIfAborted();
    const { response, context } = first;
    const isTimed = failure.error.reason === "signature" && context.credential === "accessKey";
    const other = isTimed
      ? findAlternativeClock({ url: request.url, response, text: failure.text, signedWithMs }, clockOffsets)
      : undefined;
    if (other === undefined) throw this.#fail(request, first, failure);
    const second = await this.#sendOnce(request, other.offsetMs, clock);
    if (isGood(second.response)) {
      this.#reportClock(other.confirm(), context);
      return second;
    }
    const again = await readFailure(second);
    if (again.error.reason === "signature") other.refute();
    throw this.#fail(request, second, again);
  }

  /** A refused token may have been replaced by its source, once. */
  async #renews({ response, sent }: SentResponse, { error }: ReadFailure): Promise<boolean> {
    const isRefused = response.statusCode === 401 && error.reason !== "authenticationType";
    return isRefused && ((await this.#options.renewCredential?.(sent)) ?? false);
  }

  #fail({ onFailed }: GatewaySend, answer: GatewayResponse, { error, text }: ReadFailure): ServiceError {
    onFailed?.({ answer, text });
    const { response, context } = answer;
    return explainRefusal(error, {
      ...clockEvidence(response),
      ...(context.credential === undefined ? {} : { credential: context.credential }),
    });
  }

  async #sendOnce(
    { method, url, body, signal }: GatewaySend,
    offsetMs: number,
    clock: ClockOffset,
  ): Promise<SentResponse> {
    const { transport, profile, userAgent } = this.#options;
    const credential = await this.#readCredential();
    signal.throwIfAborted();
    // The nonce is created last, because any wait after that would make it older.
    const nowSeconds = (): number => Math.floor((this.#options.now() + offsetMs) / 1_000);
    const nonce =
      credential.kind === "accessKey"
        ? await takeNonce(
            this.#options.clockOffsets.nonces,
            signedContent(url, credential, profile),
            nowSeconds,
            signal,
          )
        : nowSeconds();
    const authenticated = authenticateRequest(url, credential, profile, nonce);
    const response = await transport.request({
      method,
      url: authenticated.url,
      headers: {
        ...authenticated.headers,
        accept: "application/json",
        "accept-encoding": "identity",
        "user-agent": userAgent,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      },
      ...(body === undefined ? {} : { body }),
      signal,
      timeoutMs: this.#options.timeoutMs(),
      isAuthenticated: true,
      allowInsecureHttp: profile.allowInsecureHttp,
    });
    const secrets = secretsOfRequest(credential, authenticated.url);
    const context: ErrorContext = {
      kind: "gateway",
      credential: credential.kind,
      method,
      url: authenticated.url,
      consoleUrl: profile.consoleUrl,
      secrets,
    };
    this.#noteResponse(response, context, clock);
    return { response, context, sent: credential };
  }

  async #readCredential(): Promise<GatewayCredential> {
    const credential = await this.#options.readCredential();
    if (credential !== undefined) return credential;
    const kind = this.#options.profile.gatewayCredential;
    throw new ServiceError({
      reason: "missingCredential",
      credential: kind,
      message: missingMessage(kind),
    });
  }

  #noteResponse(response: HttpResponse, context: ErrorContext, clock: ClockOffset): void {
    const tookMs = Math.round(response.receivedAt - response.sentAt);
    const request = describeRequest(context.method, context.url);
    this.#options.log?.(`${request} returned ${response.statusCode} after ${tookMs} ms`);
    const sample = readClockSample(response);
    if (sample === undefined || isRefusal(response)) return;
    const monotonicMs = this.#options.monotonicNow?.() ?? performance.now();
    const isChanged = clock.observe(sample, { wallMs: this.#options.now(), monotonicMs });
    if (isChanged) this.#reportClock(describeCorrection(clock.offsetMs, context.url.host), context);
  }

  /** Only signed requests are affected: a token doesn't depend on the time. */
  #reportClock(sentence: string | undefined, { credential }: ErrorContext): void {
    if (sentence === undefined) return;
    this.#options.log?.(sentence);
    if (credential === "accessKey") this.#options.onClockCorrected?.(sentence);
  }
}

interface SentResponse extends GatewayResponse {
  /** The credential that it was requested with. */
  readonly sent: GatewayCredential;
}

interface ReadFailure {
  readonly error: ServiceError;
  readonly text: string;
}

async function readFailure({ response, context }: GatewayResponse): Promise<ReadFailure> {
  const text = await readErrorText(response);
  return { error: createResponseError(response, parseErrorText(text), text, context), text };
}

function isGood({ statusCode }: HttpResponse): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Its sample is evaluated separately, against the offset used for signing. */
function isRefusal({ statusCode }: HttpResponse): boolean {
  return statusCode === 401;
}

function missingMessage(kind: GatewayCredentialKind): string {
  return t(
    "There is no {0} for this profile yet. Run “Inference Gateway: Set Credential…”, then retry.",
    credentialKinds[kind].noun(),
  );
}
