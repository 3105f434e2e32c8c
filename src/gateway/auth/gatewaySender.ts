import { t } from "@vscode/l10n";
import type { GatewayCredential, GatewayCredentialKind } from "../../core/kernel/credential.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { ClockOffsets, ServerClock } from "./clockOffset.ts";
import { correctedOffset, describeCorrection } from "./clockOffset.ts";
import { parseErrorText, secretsOfRequest } from "../errors/serverText.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import { createResponseError, readErrorText } from "../http/errorResponse.ts";
import { authenticateRequest, signedContent } from "./gatewayRequest.ts";
import { isGood } from "../http/transport.ts";
import type { HttpMethod, HttpResponse, Transport } from "../http/transport.ts";
import { explainRefusal } from "./refusalCause.ts";
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
  /** Whether it must not be sent again, even if the first attempt was refused. */
  readonly isOnce?: boolean;
  /** Called with the response for which the error is thrown, with as much of its body as is worth reading. */
  readonly onFailed?: (failed: FailedResponse) => void;
}

/** A response that was refused or failed, with as much of its body as is worth reading. */
export interface FailedResponse {
  readonly answer: GatewayResponse;
  readonly text: string;
}

/** A response along with what is needed to classify its errors. */
interface GatewayResponse {
  readonly response: HttpResponse;
  readonly context: ErrorContext;
}

/**
 * Sends requests to the gateway with the profile's credential (interface section 5). If a signature is refused and the
 * `Date` of the refusal isn't the time that it was made with, the request is signed with that time and sent once more.
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
    const clock = this.#options.clockOffsets.of(request.url.origin);
    const signedWithMs = clock.offsetMs;
    let sent = await this.#sendOnce(request, clock, signedWithMs);
    if (isGood(sent.response)) return sent;
    let failure = await readFailure(sent);
    if (request.isOnce !== true && (await this.#renews(sent, failure))) {
      sent = await this.#sendOnce(request, clock, signedWithMs);
      if (isGood(sent.response)) return sent;
      failure = await readFailure(sent);
    }
    const isTimed =
      request.isOnce !== true && failure.error.reason === "signature" && sent.credential.kind === "accessKey";
    const offsetMs = isTimed ? correctedOffset(sent.response, signedWithMs) : undefined;
    if (offsetMs !== undefined) {
      sent = await this.#sendOnce(request, clock, offsetMs);
      if (isGood(sent.response)) {
        clock.offsetMs = offsetMs;
        const sentence = describeCorrection(offsetMs, request.url.host);
        this.#options.log?.(sentence);
        this.#options.onClockCorrected?.(sentence);
        return sent;
      }
      failure = await readFailure(sent);
    }
    request.onFailed?.({ answer: sent, text: failure.text });
    throw explainRefusal(failure.error, sent.credential.kind, sent.response);
  }

  /** A refused token may have been replaced by its source, once. */
  async #renews({ response, credential }: SentResponse, { error }: ReadFailure): Promise<boolean> {
    const isRefused = response.statusCode === 401 && error.reason !== "authenticationType";
    return isRefused && ((await this.#options.renewCredential?.(credential)) ?? false);
  }

  async #sendOnce(
    { method, url, body, signal, isOnce = false }: GatewaySend,
    clock: ServerClock,
    offsetMs: number,
  ): Promise<SentResponse> {
    const { transport, profile, userAgent, log } = this.#options;
    const credential = await this.#readCredential();
    signal.throwIfAborted();
    // The nonce is created last, because any wait after that would make it older.
    const now = (): number => this.#options.now() + offsetMs;
    // Only an access key signs it.
    const nonce =
      credential.kind === "accessKey"
        ? await clock.takeNonce(signedContent(url, credential, profile), now, signal)
        : 0;
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
      isOnce,
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
    const tookMs = Math.round(response.receivedAt - response.sentAt);
    log?.(`${describeRequest(method, authenticated.url)} returned ${response.statusCode} after ${tookMs} ms`);
    return { response, context, credential };
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
}

interface SentResponse extends GatewayResponse {
  /** The credential that it was requested with. */
  readonly credential: GatewayCredential;
}

interface ReadFailure {
  readonly error: ServiceError;
  readonly text: string;
}

async function readFailure({ response, context }: GatewayResponse): Promise<ReadFailure> {
  const text = await readErrorText(response);
  return { error: createResponseError(response, parseErrorText(text), text, context), text };
}

function missingMessage(kind: GatewayCredentialKind): string {
  return t(
    "There is no {0} for this profile yet. Run “Inference Gateway: Set Credential…”, then retry.",
    credentialKinds[kind].noun(),
  );
}
