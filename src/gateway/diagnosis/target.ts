import type { BaseUrlRole } from "../../core/account/baseUrl.ts";
import { secretTexts } from "../../core/account/credentialKinds.ts";
import type { SecretResult } from "../../core/account/credentialState.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { Model } from "../../core/conversation/completion.ts";
import type { Credential, SecretKind } from "../../core/kernel/credential.ts";
import type { ClockOffsets } from "../auth/clockOffset.ts";
import type { Certificates } from "../http/certificates.ts";
import type { NetworkSettings } from "../http/networkSettings.ts";
import type { Trust } from "../http/openSocket.ts";
import type { Route } from "../http/route.ts";
import type { HttpResponse, Transport } from "../http/transport.ts";
import type { RequestLabel } from "../http/transportErrors.ts";

/** What a diagnosis looks with. */
export interface DiagnosisPorts {
  /** The one that the product itself sends with. */
  readonly transport: Transport;
  readonly clockOffsets: ClockOffsets;
  readonly certificates: Certificates;
  network(): NetworkSettings;
  /** The addresses of a name. Rejects as the system's resolver does. */
  resolve(host: string): Promise<readonly string[]>;
  readSecret(profile: Profile, kind: SecretKind): Promise<SecretResult>;
  /** Milliseconds since 1970. */
  now(): number;
  readonly userAgent: string;
  /** Milliseconds that a step may take. */
  readonly stepMs: number;
  /** The model that the user asked last, if there is one. */
  readonly lastModel: string | undefined;
}

/** The head of a response, as far as the clock needs it. */
export type ResponseHead = Pick<HttpResponse, "headers" | "sentAt" | "receivedAt" | "isVerified">;

/** One address while it is looked at; the steps fill in what they find. */
export interface Target {
  readonly ports: DiagnosisPorts;
  readonly role: BaseUrlRole;
  /** As the settings have it, but for what an earlier step found to work. */
  profile: Profile;
  /** What is asked: the list of servers or of models. */
  readonly url: URL;
  readonly network: NetworkSettings;
  route: Route;
  answer?: ResponseHead;
  credential?: Credential;
  models?: readonly Model[];
}

export function labelOf({ url }: Target): RequestLabel {
  return { method: "GET", url };
}

export function trustOf({ ports, network }: Target): Trust {
  return {
    isStrict: network.strictSsl,
    secureContext: () => ports.certificates.secureContext(network.useSystemCertificates),
  };
}

/** Every text that this target's report may not repeat. */
export function secretsOf({ credential }: Target): readonly string[] {
  return credential === undefined ? [] : secretTexts(credential);
}

/** Asks the address, or another one of the same origin, without any credential. */
export function requestBare(target: Target, url: URL, signal: AbortSignal): Promise<HttpResponse> {
  const { ports, profile } = target;
  return ports.transport.request({
    method: "GET",
    url,
    headers: { accept: "application/json", "user-agent": ports.userAgent },
    signal,
    timeoutMs: ports.stepMs,
    isAuthenticated: false,
    allowInsecureHttp: profile.allowInsecureHttp,
  });
}
