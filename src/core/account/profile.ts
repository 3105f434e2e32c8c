import type { GatewayCredentialKind, SignatureOptions } from "../kernel/credential.ts";
import type { ModelOptionsTable } from "./modelOptions.ts";
import type { CarrierOptions } from "./credentialPlaces.ts";
import type { CredentialSources } from "./credentialSource.ts";
import type { ServerPricing } from "./serverPricing.ts";
import { readHttpAddress, originOf, isLoopbackHost } from "../kernel/httpAddress.ts";

/** The chart colors that every VS Code theme defines. */
export const profileColors = ["red", "orange", "yellow", "green", "blue", "purple"] as const;

/** The color that distinguishes a profile from others, so that production isn't mistaken for a test environment. */
export type ProfileColor = (typeof profileColors)[number];

/**
 * A named pair of base URLs with the rules for their credentials: one entry of `inferenceGateway.profiles`.
 * The secrets themselves are not here; they are bound to `name` and to the origin for which they were entered.
 */
export interface Profile extends CarrierOptions {
  readonly name: string;
  /** Includes `/v1`, without a trailing slash (interface section 4.1). */
  readonly inferenceBaseUrl?: string;
  /** Origin of the GPU instance gateway, without `/gpu/api/v1` (interface section 4.2). */
  readonly gatewayUrl?: string;
  readonly gatewayCredential: GatewayCredentialKind;
  readonly signature: SignatureOptions;
  /** Where credentials come from that the user doesn't enter. */
  readonly credentialSources?: CredentialSources;
  /** Query parameters of the server list, signed with the rest; empty unless the user sets them. */
  readonly serverListQuery: Readonly<Record<string, string>>;
  /** How requests to its models are sent. */
  readonly models?: ModelOptionsTable;
  /** Extra request headers, such as an organization ID. Never credentials, which are rejected here. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether credentials may be sent over plain HTTP to hosts other than loopback. */
  readonly allowInsecureHttp: boolean;
  /**
   * Whether the inference service works without an API key. If so, none is requested, but one that is set is still
   * sent. Absent means no.
   */
  readonly apiKeyOptional?: true;
  /** Marks the profile wherever it is shown, because actions there affect real systems. Absent means no. */
  readonly production?: true;
  /** The console's web page, where keys are created. */
  readonly consoleUrl?: string;
  /** Maximum idle time of a request in milliseconds, instead of the setting for all profiles. */
  readonly timeoutMs?: number;
  /** The URL of the proxy for this profile's requests, or `direct` for none, instead of VS Code's. */
  readonly proxy?: string;
  /** Path of a PEM file with issuers that this profile trusts, too. */
  readonly caFile?: string;
  /** The model that new conversations start with. */
  readonly defaultModel?: string;
  /** What the user states about the prices of its servers. */
  readonly serverPrices?: ServerPricing;
  /** The color shown next to the profile's name. */
  readonly color?: ProfileColor;
}

/**
 * Whether nothing can be sent without an API key. A server on this machine, or one that the user marked accordingly,
 * needs none.
 */
export function needsApiKey({ inferenceBaseUrl, apiKeyOptional }: Profile): boolean {
  if (apiKeyOptional === true) return false;
  const reading = readHttpAddress(inferenceBaseUrl ?? "");
  return !("address" in reading && isLoopbackHost(reading.address.host));
}

/** The destinations of the profile on one line: `https://inference.example.com · https://gateway.example.com`. */
export function describeProfile({ inferenceBaseUrl, gatewayUrl }: Profile): string {
  const origins = [originOf(inferenceBaseUrl), originOf(gatewayUrl)];
  return [...new Set(origins.filter((origin) => origin !== undefined))].join(" · ");
}

/** The codicon that represents the profile. */
export function profileIconName({ production }: Profile): "flame" | "account" {
  return production === true ? "flame" : "account";
}
