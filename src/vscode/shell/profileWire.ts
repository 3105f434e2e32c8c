import { assertNotExpired, requireCredential } from "../../core/account/credentialState.ts";
import { needsApiKey } from "../../core/account/profile.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { Credential, GatewayCredential } from "../../core/kernel/credential.ts";
import { originOf } from "../../core/kernel/httpAddress.ts";
import type { ClockOffsets } from "../../gateway/auth/clockOffset.ts";
import type { RetryPolicy } from "../../gateway/http/retry.ts";
import type { NetworkSettings, Transport } from "../../gateway/http/transport.ts";

/** What may change between requests, whatever they are for. */
export interface WireContext {
  readonly userAgent: string;
  network(): NetworkSettings;
  maxAttempts(): number;
}

/** What all clients send with. */
export interface Wire {
  readonly transport: Transport;
  readonly clockOffsets: ClockOffsets;
  readonly retryPolicy: () => RetryPolicy;
}

/** Loads the network code. */
export async function loadWire({ network, userAgent, maxAttempts }: WireContext): Promise<Wire> {
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
export function ownTransport(
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
export function serverNow(profile: Profile, clockOffsets: ClockOffsets): number {
  return Date.now() + clockOffsets.of(originOf(profile.gatewayUrl) ?? "").offsetMs;
}

/**
 * The API key of a profile as the inference client reads it. A server may not need one; all other problems are reported
 * before anything is sent.
 * @param checked The credential being checked, used instead of the profile's own.
 */
export function apiKeyOf(vault: SecretVault, profile: Profile, checked?: Credential) {
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
export function gatewayCredentialOf(
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
