import { Throttle } from "../../core/kernel/throttle.ts";
import type { Credential, GatewayCredential } from "../../core/kernel/credential.ts";
import { isRefusal, assertNotExpired, requireCredential } from "../../core/account/credentialState.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Model } from "../../core/conversation/completion.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import type { LoadedImage } from "../../core/kernel/images.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { Profile } from "../../core/account/profile.ts";
import { originOf } from "../../core/kernel/httpAddress.ts";
import type { Adaptations } from "../../core/conversation/adaptations.ts";
import { optionsOfModel } from "../../core/account/modelOptions.ts";
import { needsApiKey } from "../../core/account/profile.ts";
import type { ServerList } from "../../core/servers/server.ts";
import type { SignedRequestDraft, SignedResponse } from "../../core/servers/actions/signedRequest.ts";
import type { Ledger } from "../../core/responses/usage/ledger.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { ListServersOptions } from "../../gateway/servers/gatewayClient.ts";
import type { Transport, NetworkSettings } from "../../gateway/http/transport.ts";
import type { InferenceClient } from "../../gateway/completion/inferenceClient.ts";
import type { ClockOffsets } from "../../gateway/auth/clockOffset.ts";
import type { RetryPolicy } from "../../gateway/http/retry.ts";

/** What may change between requests, whatever they are for. */
interface WireContext {
  readonly userAgent: string;
  network(): NetworkSettings;
  maxAttempts(): number;
}

/** What all clients send with. */
interface Wire {
  readonly transport: Transport;
  readonly clockOffsets: ClockOffsets;
  readonly retryPolicy: () => RetryPolicy;
}

/** Loads the network code. */
async function loadWire({ network, userAgent, maxAttempts }: WireContext): Promise<Wire> {
  const [{ createTransport }, { ClockOffsets: Offsets }, { defaultRetryPolicy }] = await Promise.all([
    import("../../gateway/http/undiciTransport.ts"),
    import("../../gateway/auth/clockOffset.ts"),
    import("../../gateway/http/retry.ts"),
  ]);
  return {
    transport: createTransport({ network, userAgent, now: () => Date.now() }),
    clockOffsets: new Offsets(),
    retryPolicy: () => ({ ...defaultRetryPolicy, maxAttempts: maxAttempts() }),
  };
}

/**
 * Each profile has its own connections, which are reset with its credentials. So does a credential that is being
 * checked.
 * @param check A number that no other check of this window has; undefined for the profile's own credentials.
 */
function ownTransport(
  transport: Transport,
  vault: SecretVault,
  profile: Profile,
  check: number | undefined,
): Transport {
  const { name } = profile;
  return {
    request: (request) => {
      const owner =
        check === undefined
          ? { profileName: name, generation: vault.generation(name), network: profile }
          : { profileName: `${name} (check)`, generation: check, network: profile };
      return transport.request({ ...request, owner });
    },
    close: () => transport.close(),
  };
}

/** By the server's clock if it is known, because ours may be hours off. */
function serverNow(profile: Profile, clockOffsets: ClockOffsets): number {
  return Date.now() + clockOffsets.of(originOf(profile.gatewayUrl) ?? "").offsetMs;
}

/**
 * The API key of a profile as the inference client reads it. A server may not need one; all other problems are reported
 * before anything is sent.
 * @param checked The credential being checked, used instead of the profile's own.
 */
function apiKeyOf(vault: SecretVault, profile: Profile, checked?: Credential) {
  return {
    async readApiKey(): Promise<string | undefined> {
      if (checked?.kind === "apiKey") return checked.apiKey;
      const reading = await vault.obtain(profile, "apiKey");
      if (reading.state === "missing" && !needsApiKey(profile)) return undefined;
      const { apiKey } = requireCredential(reading, profile, "apiKey");
      vault.noteUse(profile.name, "apiKey");
      return apiKey;
    },
    async renewApiKey(refused: string): Promise<string | undefined> {
      if (checked !== undefined) return undefined;
      const renewed = await vault.renew(profile, { kind: "apiKey", apiKey: refused });
      return renewed?.kind === "apiKey" ? renewed.apiKey : undefined;
    },
  };
}

/**
 * The credential of a profile as the gateway client reads it.
 * @param serverNow The time by the server's clock, in milliseconds since 1970.
 * @param checked The credential being checked, used instead of the profile's own.
 */
function gatewayCredentialOf(
  vault: SecretVault,
  profile: Profile,
  serverNow: () => number,
  checked?: GatewayCredential,
) {
  return {
    async readCredential(): Promise<GatewayCredential> {
      if (checked !== undefined) return checked;
      const kind = profile.gatewayCredential;
      const reading = await vault.obtain(profile, kind);
      const found = requireCredential(reading, profile, kind);
      assertNotExpired(reading, profile, kind, serverNow());
      vault.noteUse(profile.name, kind);
      return found;
    },
    /** Whether there is a credential other than the refused one, which is read for the next attempt. */
    async renewCredential(refused: GatewayCredential): Promise<boolean> {
      return checked === undefined && (await vault.renew(profile, refused)) !== undefined;
    },
  };
}

/** Provides the clients with what may change between requests. */
export interface ClientsContext extends WireContext {
  readonly log: Log;
  readonly vault: SecretVault;
  /** What the models have rejected before, in any window. */
  readonly adaptations: Adaptations;
  /** Maximum idle time in milliseconds. */
  timeoutMs(): number;
  /** A sentence for the user. */
  onClockCorrected(sentence: string): void;
  /** Wraps the port so that its requests are entered into the usage records. */
  readonly keepUsage: Ledger["keep"];
  /** Sends a request of another kind and enters it. */
  readonly keepRequest: Ledger["keepRequest"];
  /** Called with the models that the profile's service has listed. */
  onListed(profile: Profile, models: readonly Model[]): Promise<void>;
  /** Called when the gateway has refused the profile's stored credential and the cause has been determined. */
  onRefused(profile: Profile, error: ErrorFacts): void;
}

/** A clock that jumps back and forth is reported at most once in this many milliseconds. */
const clockNoticeRestMs = 10 * 60_000;
/** However often a list is polled, a refusal is reported at most once per profile in this many milliseconds. */
const refusalNoticeRestMs = 60_000;

/**
 * Creates the clients of a profile. The network code is loaded with the first of them. Sockets and clock offsets are
 * shared, so that connections are reused from turn to turn.
 */
export class ClientFactory {
  readonly #context: ClientsContext;
  readonly #clockNotices = new Throttle(clockNoticeRestMs, () => performance.now());
  readonly #refusalNotices = new Throttle(refusalNoticeRestMs, () => performance.now());
  #wire: Promise<Wire> | undefined;
  #checks = 0;

  constructor(context: ClientsContext) {
    this.#context = context;
  }

  /** @param credential The credential being checked, used instead of the stored one. */
  async inference(profile: Profile, credential?: Credential): Promise<InferenceClient> {
    const [{ transport, retryPolicy }, { createInferenceClient }] = await Promise.all([
      this.#load(),
      import("../../gateway/completion/inferenceClient.ts"),
    ]);
    const client = createInferenceClient({
      ...this.#inferenceOptions(profile, credential),
      transport: this.#own(transport, profile, credential),
      modelOptions: (model) => optionsOfModel(profile.models, model),
      retryPolicy,
      profile: profile.name,
      adaptations: this.#context.adaptations,
    });
    const { keepUsage, onListed } = this.#context;
    const { complete } = keepUsage(client, profile.name);
    if (credential !== undefined) return { ...client, complete };
    return {
      complete,
      async listModels(...options) {
        const models = await client.listModels(...options);
        await onListed(profile, models);
        return models;
      },
    };
  }

  /** Lists the servers of a profile's gateway. */
  async listServers(
    profile: Profile,
    {
      checked,
      isUnattended = false,
      ...options
    }: ListServersOptions & {
      /** The credential being checked, used instead of the stored one. */
      readonly checked?: GatewayCredential;
      onClockCorrected?(sentence: string): void;
      /** Whether the user hasn't asked for the list, and therefore isn't told that the credential was refused. */
      readonly isUnattended?: boolean;
    },
  ): Promise<ServerList> {
    const [wire, { requestServerList }] = await Promise.all([
      this.#load(),
      import("../../gateway/servers/gatewayClient.ts"),
    ]);
    const { onClockCorrected } = options;
    const own = onClockCorrected === undefined ? {} : { onClockCorrected };
    try {
      return await requestServerList({ ...this.#gatewayOptions(wire, profile, checked), ...own }, options);
    } catch (error) {
      if (error instanceof ServiceError && checked === undefined && !isUnattended)
        this.#notifyRefusal(profile, error.facts);
      throw error;
    }
  }

  /**
   * Sends a request that isn't part of the interface with the stored credential, and resolves with any response. One
   * that a model charges for counts toward the budget.
   */
  async sendSigned(
    profile: Profile,
    draft: SignedRequestDraft,
    signal: AbortSignal,
  ): Promise<SignedResponse> {
    const { modelRequestOf, answerOf, sentRequestOf } =
      await import("../../gateway/completion/sendApiRequest.ts");
    const request = modelRequestOf(draft);
    if (request === undefined) return this.#send(profile, draft, signal);
    const { inferenceBaseUrl } = profile;
    const isApi = draft.base === "inference" && inferenceBaseUrl !== undefined;
    const who = { purpose: "apiRequest", profile: profile.name } as const;
    const sent = isApi ? { sent: sentRequestOf(inferenceBaseUrl, draft) } : {};
    const { response } = await this.#context.keepRequest({ ...request, ...who, ...sent }, async () => {
      const response = await this.#send(profile, draft, signal);
      return { ...answerOf(response), response };
    });
    return response;
  }

  async #send(profile: Profile, draft: SignedRequestDraft, signal: AbortSignal): Promise<SignedResponse> {
    if (draft.base === "inference") return this.#sendApi(profile, draft, signal);
    const [{ transport, clockOffsets }, { sendSignedRequest }] = await Promise.all([
      this.#load(),
      import("../../gateway/servers/sendSignedRequest.ts"),
    ]);
    const options = this.#gatewayOptions({ transport, clockOffsets }, profile);
    return sendSignedRequest(options, draft, signal);
  }

  async #sendApi(profile: Profile, draft: SignedRequestDraft, signal: AbortSignal): Promise<SignedResponse> {
    const [{ transport }, { sendApiRequest }] = await Promise.all([
      this.#load(),
      import("../../gateway/completion/sendApiRequest.ts"),
    ]);
    const options = { ...this.#inferenceOptions(profile), transport: this.#own(transport, profile) };
    return sendApiRequest(options, draft, signal);
  }

  /** What every request to the inference service of a profile is sent with. */
  #inferenceOptions(profile: Profile, credential?: Credential) {
    const { userAgent, log, vault } = this.#context;
    return {
      baseUrl: profile.inferenceBaseUrl ?? "",
      ...apiKeyOf(vault, profile, credential),
      timeoutMs: () => this.#timeoutMs(profile),
      headers: profile.headers,
      consoleUrl: profile.consoleUrl,
      userAgent,
      allowInsecureHttp: profile.allowInsecureHttp,
      isKeyOptional: !needsApiKey(profile),
      log: (line: string) => log.info(line),
    };
  }

  /** What every request to the gateway of a profile is sent with. */
  #gatewayOptions(
    { transport, clockOffsets }: Pick<Wire, "transport" | "clockOffsets">,
    profile: Profile,
    credential?: GatewayCredential,
  ) {
    const { userAgent, log, vault } = this.#context;
    return {
      transport: this.#own(transport, profile, credential),
      profile,
      ...gatewayCredentialOf(vault, profile, () => serverNow(profile, clockOffsets), credential),
      clockOffsets,
      now: () => Date.now(),
      timeoutMs: () => this.#timeoutMs(profile),
      userAgent,
      onClockCorrected: (sentence: string) => this.#notifyClock(profile, sentence),
      log: (line: string) => log.info(line),
    };
  }

  /** Fetches an image with the same network settings, without any credential. */
  async loadImage(url: string): Promise<LoadedImage> {
    const [{ transport }, { fetchImage }] = await Promise.all([
      this.#load(),
      import("../../gateway/http/fetchImage.ts"),
    ]);
    return await fetchImage({ transport }, url);
  }

  /** What the clients use for sending. A diagnosis uses the same route, step by step. */
  async wire(
    profile: Profile,
  ): Promise<Pick<Wire, "transport" | "clockOffsets"> & Pick<ClientsContext, "network" | "userAgent">> {
    const { transport: shared, clockOffsets } = await this.#load();
    const { network, userAgent } = this.#context;
    const transport = this.#own(shared, profile);
    return { transport, clockOffsets, network, userAgent };
  }

  dispose(): void {
    void this.#wire?.then(({ transport }) => transport.close());
  }

  #timeoutMs({ timeoutMs }: Profile): number {
    return timeoutMs ?? this.#context.timeoutMs();
  }

  #notifyRefusal(profile: Profile, error: ErrorFacts): void {
    // An expired credential isn't even sent, and the status bar already shows that it has expired.
    const isAnswered = error.statusCode !== undefined;
    if (isAnswered && isRefusal(error) && this.#refusalNotices.tryAcquire(profile.name))
      this.#context.onRefused(profile, error);
  }

  #notifyClock(profile: Profile, sentence: string): void {
    const origin = originOf(profile.gatewayUrl) ?? "";
    if (this.#clockNotices.tryAcquire(origin)) this.#context.onClockCorrected(sentence);
  }

  #own(transport: Transport, profile: Profile, credential?: Credential): Transport {
    const check = credential === undefined ? undefined : ++this.#checks;
    return ownTransport(transport, this.#context.vault, profile, check);
  }

  #load(): Promise<Wire> {
    this.#wire ??= loadWire(this.#context);
    return this.#wire;
  }
}

/** What its users see of the factory, whether it is loaded or not. */
export type Clients = Pick<ClientFactory, keyof ClientFactory>;
