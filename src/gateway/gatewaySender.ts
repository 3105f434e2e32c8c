import { t } from "@vscode/l10n";
import type { GatewayCredential, GatewayCredentialKind } from "../core/credential.ts";
import { ServiceError } from "../core/errors.ts";
import type { Profile } from "../core/profile.ts";
import type { ClockOffset, ClockOffsets } from "./clockOffset.ts";
import { describeCorrection, refusalMs } from "./clockOffset.ts";
import { readClockSample } from "./clockSample.ts";
import { secretsOfRequest } from "./concealSecrets.ts";
import type { ErrorContext } from "./errorResponse.ts";
import { createResponseError, readErrorText } from "./errorResponse.ts";
import { parseErrorText } from "./errorText.ts";
import { authenticateRequest } from "./gatewayRequest.ts";
import type { HttpMethod, HttpResponse, Transport } from "./http/transport.ts";
import { explainRefusal } from "./refusalCause.ts";
import { describeRequest } from "./requestLabel.ts";

/** What the sender is told; the functions are asked anew for every attempt. */
export interface GatewaySenderOptions {
  readonly transport: Transport;
  readonly profile: Profile;
  /** Undefined where none is set. */
  readCredential(): Promise<GatewayCredential | undefined>;
  /** Shared by all, so that what one learns of a server's clock serves the others. */
  readonly clockOffsets: ClockOffsets;
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since any start, never set back; `performance.now` unless a test says otherwise. */
  monotonicNow?(): number;
  /** Milliseconds of silence allowed. */
  timeoutMs(): number;
  readonly userAgent: string;
  /** A sentence for the user. */
  onClockCorrected?(sentence: string): void;
  /** One line about each exchange, without secrets. */
  log?(line: string): void;
}

export interface GatewaySend {
  readonly method: HttpMethod;
  /** With its own parameters; those of the credential and of the profile's `serverListQuery` are added. */
  readonly url: URL;
  readonly body?: string;
  readonly signal: AbortSignal;
  /** Told the answer whose error is thrown, with its body as far as it is worth reading. */
  readonly onFailed?: (failed: FailedAnswer) => void;
}

export interface FailedAnswer {
  readonly answer: GatewayAnswer;
  readonly text: string;
}

/** An answer with what its errors need to be told by. */
export interface GatewayAnswer {
  readonly response: HttpResponse;
  readonly context: ErrorContext;
}

/**
 * Sends requests to the gateway with the profile's credential (interface section 5). Where a signature is refused, the
 * clock is looked at first, and the request is signed and sent once more where time can have been the cause.
 */
export class GatewaySender {
  readonly #options: GatewaySenderOptions;

  constructor(options: GatewaySenderOptions) {
    this.#options = options;
  }

  /** Resolves with a good answer (2xx). Rejects with a ServiceError that tells the cause, or with the signal's reason. */
  async send(request: GatewaySend): Promise<GatewayAnswer> {
    const clock = this.#options.clockOffsets.of(request.url.origin);
    const signedWithMs = clock.offsetMs;
    const first = await this.#sendOnce(request, clock.offsetMs, clock);
    if (isGood(first.response)) return first;
    const { error, text } = await readFailure(first);
    request.signal.throwIfAborted();
    const other =
      error.reason === "signature" ? this.#otherClock(request.url, first, signedWithMs) : undefined;
    if (other === undefined) {
      request.onFailed?.({ answer: first, text });
      throw this.#explain(error, first, clock);
    }
    const second = await this.#sendOnce(request, other.offsetMs, clock);
    if (isGood(second.response)) {
      other.confirm();
      return second;
    }
    const failure = await readFailure(second);
    request.onFailed?.({ answer: second, text: failure.text });
    throw this.#explain(failure.error, second, clock);
  }

  /** Another time to sign by, where the one that was refused can have been wrong. */
  #otherClock(
    url: URL,
    { response, context }: GatewayAnswer,
    signedWithMs: number,
  ): { readonly offsetMs: number; confirm(): void } | undefined {
    if (context.credential !== "accessKey") return undefined;
    const { clockOffsets } = this.#options;
    const clock = clockOffsets.of(url.origin);
    const sample = readClockSample(response);
    // The refusal's own sample may have moved the offset already; what counts is the one that signed.
    if (sample !== undefined && clock.adoptAfterRefusal(sample, signedWithMs)) {
      this.#tellCorrection(clock, context);
      return { offsetMs: clock.offsetMs, confirm: () => undefined };
    }
    // A Date by which the signature was made, and refused all the same: it may lie.
    const told = (change: () => void) => (): void => {
      change();
      this.#tellCorrection(clock, context);
    };
    if (Math.abs(signedWithMs) > refusalMs) return { offsetMs: 0, confirm: told(() => clock.distrust()) };
    // It doesn't tell its time, but another server has shown that our clock is wrong.
    const hintMs = sample === undefined ? clockOffsets.hintFor(url.origin) : undefined;
    if (hintMs === undefined || Math.abs(hintMs - signedWithMs) <= refusalMs) return undefined;
    return { offsetMs: hintMs, confirm: told(() => clock.adopt(hintMs)) };
  }

  #explain(error: ServiceError, { response, context }: GatewayAnswer, clock: ClockOffset): ServiceError {
    return explainRefusal(error, {
      offsetMs: clock.offsetMs,
      knowsServerClock: readClockSample(response) !== undefined,
      ...(context.credential === undefined ? {} : { credential: context.credential }),
    });
  }

  async #sendOnce(
    { method, url, body, signal }: GatewaySend,
    offsetMs: number,
    clock: ClockOffset,
  ): Promise<GatewayAnswer> {
    const { transport, profile, userAgent } = this.#options;
    const credential = await this.#readCredential();
    signal.throwIfAborted();
    // The nonce comes last: whatever was waited for before would make it older.
    const nonce = Math.floor((this.#options.now() + offsetMs) / 1_000);
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
      secrets,
    };
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

async function readFailure({ response, context }: GatewayAnswer) {
  const text = await readErrorText(response);
  return { error: createResponseError(response, parseErrorText(text), text, context), text };
}

function isGood({ statusCode }: HttpResponse): boolean {
  return statusCode >= 200 && statusCode < 300;
}

/** Its sample is looked at by itself, against the offset that signed. */
function isRefusal({ statusCode }: HttpResponse): boolean {
  return statusCode === 401;
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
