import { credentialParts, credentialKinds, gatewayKinds, secretKinds } from "./credentialKinds.ts";
import type { CredentialPlace, Places } from "./credentialKinds.ts";
import type { GatewayCredentialKind, TokenCredential } from "../kernel/credential.ts";

type Kinds = typeof credentialKinds;
type TokenKind = TokenCredential["kind"];
/** The name of a profile option that selects where a token is sent. */
type CarrierOption = Extract<Kinds[TokenKind], { readonly carrierOption: string }>["carrierOption"];

/** The options of a profile that select where a token is sent. */
export type CarrierOptions = {
  readonly [O in CarrierOption]: string &
    keyof Extract<Kinds[TokenKind], { readonly carrierOption: O }>["places"];
};

/** The kinds of token whose location the profile selects, by the option that selects it. */
const carriers: ReadonlyMap<CarrierOption, TokenKind> = new Map(
  gatewayKinds.flatMap((kind) => {
    if (!isTokenKind(kind)) return [];
    const facts: { readonly places: Places; readonly carrierOption?: CarrierOption } = credentialKinds[kind];
    return facts.carrierOption === undefined ? [] : [[facts.carrierOption, kind]];
  }),
);

/** All of these options. */
export const carrierOptions: readonly CarrierOption[] = [...carriers.keys()];

/** Reads these options. `choose` selects one of the locations; the first one is the default. */
export function readCarriers(
  choose: (option: CarrierOption, places: readonly [string, ...string[]]) => string,
): CarrierOptions {
  const read = Object.fromEntries(
    [...carriers].map(([option, kind]) => [option, choose(option, ["header", ...placeNames(kind)])]),
  );
  if (isCarriers(read)) return read;
  throw new RangeError("Unknown location for a token.");
}

function isCarriers(
  read: Readonly<Record<string, string>>,
): read is Readonly<Record<string, string>> & CarrierOptions {
  return [...carriers].every(([option, kind]) => placeNames(kind).some((name) => name === read[option]));
}

function isTokenKind(kind: GatewayCredentialKind): kind is TokenKind {
  return credentialParts(kind).includes("token");
}

/** The names of the locations where a token can be sent: the choices of the profile's option. */
function placeNames<K extends TokenKind>(kind: K): readonly (string & keyof Kinds[K]["places"])[] {
  const { places }: { readonly places: Kinds[K]["places"] } = credentialKinds[kind];
  return Object.keys(places).filter((name): name is string & keyof Kinds[K]["places"] =>
    Object.hasOwn(places, name),
  );
}

/** Where a token is sent according to the options of its profile. */
export function tokenPlace(kind: TokenKind, options: CarrierOptions): CredentialPlace {
  const facts: {
    readonly places: Places & { readonly header: CredentialPlace };
    readonly carrierOption?: CarrierOption;
  } = credentialKinds[kind];
  const name = facts.carrierOption === undefined ? "header" : options[facts.carrierOption];
  return facts.places[name] ?? facts.places.header;
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
