import { t } from "@vscode/l10n";
import type { GatewayCredentialKind } from "../kernel/credential.ts";
import { ServiceError } from "../kernel/errors.ts";
import type { Profile } from "./profile.ts";
import type { SecretReading } from "./secretReading.ts";

/**
 * Throws where the stored token has ended: a request with it would only be refused. The reason is that of the refusal,
 * so that whoever asks again and again stops, and what is shown stays.
 * @param serverNow Milliseconds since 1970 by the server's clock.
 */
export function refuseExpired(
  reading: SecretReading,
  profile: Profile,
  kind: GatewayCredentialKind,
  serverNow: number,
): void {
  if (kind === "accessKey" || reading.state !== "present") return;
  if (reading.expiresAt === undefined || serverNow < reading.expiresAt) return;
  const message =
    kind === "stsToken"
      ? t(
          "The STS token of the profile “{0}” has expired. Requests are paused until you set a new one.",
          profile.name,
        )
      : t(
          "The session token of the profile “{0}” has expired. Requests are paused until you set a new one.",
          profile.name,
        );
  throw new ServiceError({ reason: kind, message });
}
