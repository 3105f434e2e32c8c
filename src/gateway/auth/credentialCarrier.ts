import { t } from "@vscode/l10n";
import type {
  GatewayCredential,
  SessionTokenCarrier,
  StsTokenCarrier,
} from "../../core/kernel/credential.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import type { Parameter } from "./signature.ts";
import { sign } from "./signature.ts";

/** What a request needs beside its own parameters and headers to be let in. */
export interface CarriedCredential {
  readonly parameters: readonly Parameter[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
}

export type CarrierRules = Pick<Profile, "sessionTokenCarrier" | "stsTokenCarrier" | "signature">;

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
  switch (credential.kind) {
    case "accessKey":
      return {
        headers: { "x-auth-type": "AK" },
        parameters: [
          ["access_key", credential.accessKey],
          ["nonce", String(nonce)],
          ["signature", sign({ parameters, nonce, credential, options: rules.signature })],
        ],
      };
    case "sessionToken":
      return carrySessionToken(credential.token.trim(), rules.sessionTokenCarrier);
    case "stsToken":
      return carryStsToken(credential.token.trim(), rules.stsTokenCarrier);
    default:
      return assertNever(credential);
  }
}

function carrySessionToken(token: string, carrier: SessionTokenCarrier): CarriedCredential {
  switch (carrier) {
    case "header":
      return inHeader("authorization", token, t("session token"));
    case "cookie":
      return inCookie("User-Token-V1", token, t("session token"));
    case "query":
      return { parameters: [["token", token]], headers: {} };
    case "ouCookie":
      return inCookie("OU-Token-V1", token, t("session token"));
    default:
      return assertNever(carrier);
  }
}

function carryStsToken(token: string, carrier: StsTokenCarrier): CarriedCredential {
  switch (carrier) {
    case "header":
      return inHeader("sts-token", token, t("STS token"));
    case "cookie":
      return inCookie("STS-Token", token, t("STS token"));
    case "query":
      return { parameters: [["STS-Token", token]], headers: {} };
    default:
      return assertNever(carrier);
  }
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
