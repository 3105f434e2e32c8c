import { t } from "@vscode/l10n";
import type { GatewayCredential, TokenCredential } from "../../core/kernel/credential.ts";
import type { CarrierOptions } from "../../core/account/credentialKinds.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { Parameter } from "./signature.ts";
import { sign } from "./signature.ts";
import { tokenPlace, credentialKinds } from "../../core/account/credentialKinds.ts";

/** What a request needs beside its own parameters and headers to be let in. */
export interface CarriedCredential {
  readonly parameters: readonly Parameter[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export type CarrierRules = CarrierOptions & Pick<Profile, "signature">;

/**
 * Puts a credential where the profile wants it to travel (interface sections 5.2 to 5.4). `nonce` is in Unix seconds,
 * of this very attempt. Throws `configuration` where the carrier can't hold the credential unchanged.
 */
export function carryCredential(
  credential: GatewayCredential,
  rules: CarrierRules,
  parameters: readonly Parameter[],
  nonce: number,
): CarriedCredential {
  if (credential.kind !== "accessKey") return carryToken(credential, rules);
  return {
    headers: { "x-auth-type": "AK" },
    parameters: [
      ["access_key", credential.accessKey],
      ["nonce", String(nonce)],
      ["signature", sign({ parameters, nonce, credential, options: rules.signature })],
    ],
  };
}

function carryToken(credential: TokenCredential, rules: CarrierRules): CarriedCredential {
  const token = credential.token.trim();
  const place = tokenPlace(credential.kind, rules);
  const noun = credentialKinds[credential.kind].noun();
  if ("parameter" in place) return { parameters: [[place.parameter, token]], headers: {} };
  if ("cookie" in place) return inCookie(place.cookie, token, noun);
  return inHeader(place.header, place.scheme === undefined ? token : `${place.scheme} ${token}`, noun);
}

function inHeader(name: string, token: string, what: string): CarriedCredential {
  if (/^[\x20-\x7e\xa0-\xff]+$/.test(token)) return { parameters: [], headers: { [name]: token } };
  throw unfit(what, t("a header"));
}

/** A cookie has no way of quoting: what would end it early or change it on the way is refused (RFC 6265, section 4.1.1). */
function inCookie(name: string, token: string, what: string): CarriedCredential {
  if (/^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]+$/.test(token)) {
    return { parameters: [], headers: { cookie: `${name}=${token}` } };
  }
  throw unfit(what, t("a cookie"));
}

function unfit(what: string, carrier: string): ServiceError {
  return new ServiceError({
    reason: "configuration",
    message: t(
      "Nothing was sent: the {0} contains characters that aren't allowed in {1}. Set it again without line breaks or spaces, or change where the profile sends it.",
      what,
      carrier,
    ),
  });
}
