import { credentialKinds, secretKinds } from "./credentialKinds.ts";
import type { CredentialPlace } from "./credentialKinds.ts";
import type { TokenCredential } from "../kernel/credential.ts";

type Kinds = typeof credentialKinds;

/** The options of a profile that select where a token is sent, with their choices. The first one is the default. */
export const carriers = {
  sessionTokenCarrier: ["header", "cookie", "query", "ouCookie"],
  stsTokenCarrier: ["header", "cookie", "query"],
} as const satisfies {
  readonly [K in TokenCredential["kind"] as `${K}Carrier`]: readonly (keyof Kinds[K]["places"])[];
};

/** The values of these options. */
export type CarrierOptions = {
  readonly [O in keyof typeof carriers]: (typeof carriers)[O][number];
};

/** Where a token is sent according to the options of its profile. */
export function tokenPlace(kind: TokenCredential["kind"], options: CarrierOptions): CredentialPlace {
  switch (kind) {
    case "sessionToken":
      return credentialKinds.sessionToken.places[options.sessionTokenCarrier];
    case "stsToken":
      return credentialKinds.stsToken.places[options.stsTokenCarrier];
  }
}

const allPlaces: readonly CredentialPlace[] = secretKinds.flatMap((kind): readonly CredentialPlace[] =>
  Object.values(credentialKinds[kind].places),
);

/** The lowercase names of all headers, cookies and query parameters that contain a credential. */
export const credentialNames = {
  headers: new Set(allPlaces.flatMap((place) => ("header" in place ? [place.header.toLowerCase()] : []))),
  cookies: new Set(allPlaces.flatMap((place) => ("cookie" in place ? [place.cookie.toLowerCase()] : []))),
  parameters: new Set(
    allPlaces.flatMap((place) => ("parameter" in place ? [place.parameter.toLowerCase()] : [])),
  ),
} as const satisfies Readonly<Record<string, ReadonlySet<string>>>;

/** Joins these names as alternatives of a regular expression. */
export function namePattern(...names: readonly ReadonlySet<string>[]): string {
  const all = new Set(names.flatMap((some) => [...some]));
  return [...all].map((name) => name.replaceAll(/[^\w-]/g, String.raw`\$&`)).join("|");
}
