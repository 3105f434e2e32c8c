import type { GatewayCredentialKind, SignatureOptions } from "../kernel/credential.ts";
import type { CarrierOptions } from "./credentialPlaces.ts";
import { readHttpAddress, originOf } from "../kernel/httpAddress.ts";
import { isLoopbackHost } from "../kernel/loopback.ts";

/** The colors that every theme of VS Code has for charts. */
export const profileColors = ["red", "orange", "yellow", "green", "blue", "purple"] as const;
export type ProfileColor = (typeof profileColors)[number];

/**
 * A named pair of base URLs with the rules for their credentials: one entry of `inferenceGateway.profiles`.
 * The secrets themselves are not here; they are bound to `name` and to the origin for which they were entered.
 */
export interface Profile extends CarrierOptions {
  readonly name: string;
  /** With its `/v1` and without a slash at the end (interface section 4.1). */
  readonly inferenceBaseUrl?: string;
  /** Origin of the GPU instance gateway, without `/gpu/api/v1` (interface section 4.2). */
  readonly gatewayUrl?: string;
  readonly gatewayCredential: GatewayCredentialKind;
  readonly signature: SignatureOptions;
  /** Query parameters of the server list, signed with the rest; empty unless the user sets them. */
  readonly serverListQuery: Readonly<Record<string, string>>;
  /** Extra request headers, such as an organization id. Never credentials: those are refused here. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether credentials may travel over plain http to hosts other than loopback. */
  readonly allowInsecureHttp: boolean;
  /** Whether the inference service wants no API key: none is asked for then, and one that is set is sent. Absent means no. */
  readonly apiKeyOptional?: true;
  /** Marks the profile wherever it is shown, because actions there affect real systems. Absent means no. */
  readonly production?: true;
  /** The color that the profile is shown in, beside its name. */
  readonly color?: ProfileColor;
}

/** Whether nothing can be sent without an API key: a server on this machine, or one of which the user says so, wants none. */
export function needsApiKey({ inferenceBaseUrl, apiKeyOptional }: Profile): boolean {
  if (apiKeyOptional === true) return false;
  const reading = readHttpAddress(inferenceBaseUrl ?? "");
  return !("address" in reading && isLoopbackHost(reading.address.host));
}

/** Where the profile sends to, in one line: `https://inference.example.com · https://gateway.example.com`. */
export function describeProfile({ inferenceBaseUrl, gatewayUrl }: Profile): string {
  const origins = [originOf(inferenceBaseUrl), originOf(gatewayUrl)];
  return [...new Set(origins.filter((origin) => origin !== undefined))].join(" · ");
}

/** The codicon that stands for the profile. */
export function profileIconName({ production }: Profile): "flame" | "account" {
  return production === true ? "flame" : "account";
}
