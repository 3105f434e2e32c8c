import type { SignatureOptions } from "../../core/kernel/credential.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { Profile } from "../../core/account/profile.ts";
import { createServersUrl } from "./gatewayRequest.ts";
import type { Parameter } from "./signature.ts";

/** The signature formats that the interface leaves open (section 5.3). */
const formats: readonly SignatureOptions[] = (["hex", "base64"] as const).flatMap((encoding) =>
  (["omit", "keep"] as const).map((emptyValues) => ({ encoding, emptyValues })),
);

/**
 * The other formats, except for those that sign the same bytes.
 * @param parameters What is signed: without empty values, their treatment makes no difference.
 */
export function signatureVariants(
  own: SignatureOptions,
  parameters: Iterable<Parameter>,
): readonly SignatureOptions[] {
  const hasEmpty = [...parameters].some(([, value]) => value === "");
  return formats.filter(({ encoding, emptyValues }) =>
    emptyValues === own.emptyValues ? encoding !== own.encoding : hasEmpty,
  );
}

/**
 * Checks an access key with the profile's signature format and, if that is refused, with every other. Resolves with the
 * format that the gateway accepts, or undefined if it is the profile's own. Rejects like the first check.
 */
export async function findSignature(
  profile: Profile,
  check: (profile: Profile) => Promise<void>,
): Promise<SignatureOptions | undefined> {
  try {
    await check(profile);
    return undefined;
  } catch (error) {
    if (!isRefused(error)) throw error;
    const url = createServersUrl(profile.gatewayUrl);
    const parameters = [...url.searchParams, ...Object.entries(profile.serverListQuery)];
    for (const signature of signatureVariants(profile.signature, parameters)) {
      if (await isAccepted(() => check({ ...profile, signature }))) return signature;
    }
    throw error;
  }
}

/** Any other failure ends the search, because every further request would fail in the same way. */
async function isAccepted(check: () => Promise<void>): Promise<boolean> {
  try {
    await check();
    return true;
  } catch (error) {
    if (!isRefused(error)) throw error;
    return false;
  }
}

function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && error.reason === "signature";
}
