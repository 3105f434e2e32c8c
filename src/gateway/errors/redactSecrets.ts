import type { GatewayCredential } from "../../core/kernel/credential.ts";
import { secretForms } from "../../core/account/secretForms.ts";
import { secretTexts } from "../../core/account/credentialKinds.ts";

/** Shorter ones would redact ordinary words. */
const shortestSecret = 6;

/** The text without the secrets that a server repeats when it refuses them, in whatever form they occur. */
export function redactSecrets(text: string, secrets: readonly string[]): string {
  return (
    secrets
      .filter((secret) => secret.length >= shortestSecret)
      .flatMap((secret) => secretForms(secret))
      // One secret may be part of another.
      .toSorted((a, b) => b.length - a.length)
      .reduce((rest, form) => rest.replaceAll(form, "…"), text)
  );
}

/** What a server's message may not repeat of a gateway request: the credential, and the signature in the URL. */
export function secretsOfRequest(credential: GatewayCredential, url: URL): readonly string[] {
  return [...secretTexts(credential), ...url.searchParams.getAll("signature")];
}
