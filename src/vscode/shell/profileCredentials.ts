import { assertNotExpired, requireCredential } from "../../core/account/credentialState.ts";
import { needsApiKey } from "../../core/account/profile.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { SecretVault } from "../../core/account/secretVault.ts";
import type { Credential, GatewayCredential } from "../../core/kernel/credential.ts";

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
    /** Whether there is another credential than the refused one, which is read for the next attempt. */
    async renewCredential(refused: GatewayCredential): Promise<boolean> {
      return checked === undefined && (await vault.renew(profile, refused)) !== undefined;
    },
  };
}
