import { assertNever } from "../core/assertNever.ts";
import type { GatewayCredential } from "../core/credential.ts";
import type { ErrorFacts } from "../core/errors.ts";
import { ServiceError } from "../core/errors.ts";

/** Shorter ones would blacken ordinary words. */
const shortestSecret = 6;

/**
 * The error without the values of the credential and without the signature in the URL, which some servers repeat when
 * they refuse them.
 */
export function concealSecrets(error: ServiceError, credential: GatewayCredential, url: URL): ServiceError {
  const secrets = [...secretsOf(credential), ...url.searchParams.getAll("signature")]
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    .filter((secret) => secret.length >= shortestSecret);
  const conceal = (text: string): string =>
    secrets.reduce((rest, secret) => rest.replaceAll(secret, "…"), text);
  const { message, serverMessage, code, requestId } = error.facts;
  const facts: ErrorFacts = {
    ...error.facts,
    message: conceal(message),
    ...(serverMessage === undefined ? {} : { serverMessage: conceal(serverMessage) }),
    ...(code === undefined ? {} : { code: conceal(code) }),
    ...(requestId === undefined ? {} : { requestId: conceal(requestId) }),
  };
  return new ServiceError(facts, error.cause);
}

function secretsOf(credential: GatewayCredential): readonly string[] {
  switch (credential.kind) {
    case "accessKey":
      return [credential.apiSecret, credential.accessKey];
    case "sessionToken":
    case "stsToken":
      return [credential.token.trim()];
    default:
      return assertNever(credential);
  }
}
