import { t } from "@vscode/l10n";
import type { SecretKind, CredentialPart } from "../kernel/credential.ts";
import { secretKinds, credentialParts, partFacts } from "./credentialKinds.ts";

/** An address, or a part of a credential as `<kind>.<part>`. */
type VariablePart = "inferenceBaseUrl" | "gatewayUrl" | `${SecretKind}.${CredentialPart}`;

/** The meaning of a variable name's ending, longer endings first. */
const endings: readonly (readonly [RegExp, VariablePart])[] = [
  [/^(?:INFERENCE_)?(?:API_BASE_URL|BASE_URL|API_BASE)$/, "inferenceBaseUrl"],
  [/^GATEWAY_URL$/, "gatewayUrl"],
  ...secretKinds.flatMap((kind) =>
    credentialParts(kind).flatMap((part): readonly (readonly [RegExp, VariablePart])[] => {
      const facts = partFacts(kind, part);
      return facts === undefined ? [] : [[facts.variable, `${kind}.${part}`]];
    }),
  ),
];

const addressParts = ["inferenceBaseUrl", "gatewayUrl"] as const;

/** Our own prefix, whose end could be mistaken for the name of an address. */
const ownPrefix = "INFERENCE_GATEWAY";

/** Variables with the same prefix. */
interface VariableGroup {
  readonly prefix: string;
  /** The name that each part was found under. */
  readonly names: ReadonlyMap<VariablePart, string>;
  readonly values: ReadonlyMap<VariablePart, string>;
}

function groupVariables(variables: Readonly<Record<string, string | undefined>>): readonly VariableGroup[] {
  const groups = new Map<
    string,
    { readonly names: Map<VariablePart, string>; readonly values: Map<VariablePart, string> }
  >();
  for (const [name, value] of Object.entries(variables)) {
    const place = findPlace(name.toUpperCase());
    if (place === undefined || value === undefined || value.trim() === "") continue;
    const group = groups.get(place.prefix) ?? { names: new Map(), values: new Map() };
    group.names.set(place.part, name);
    group.values.set(place.part, value);
    groups.set(place.prefix, group);
  }
  return [...groups].map(([prefix, group]) => ({ prefix, ...group }));
}

/** One profile's worth of variables, for filling in a form. */
export interface ProfileVariables {
  /** A name for the profile, derived from the prefix; empty if there is none. */
  readonly name: string;
  readonly values: ReadonlyMap<VariablePart, string>;
  /** Names of variables. */
  readonly recognized: readonly string[];
  readonly ignored: readonly string[];
}

/**
 * The variables that belong to one profile. A second group is included only if it contributes an address that the first
 * one lacks, because credentials next to no address may be meant for a different service.
 */
export function chooseVariables(
  variables: Readonly<Record<string, string | undefined>>,
): ProfileVariables | undefined {
  const groups = groupVariables(variables);
  const addresses = (group: VariableGroup): readonly VariablePart[] =>
    addressParts.filter((part) => group.values.has(part));
  const ranked = groups.toSorted(
    (left, right) => addresses(right).length - addresses(left).length || right.values.size - left.values.size,
  );
  const [main] = ranked;
  if (main === undefined || (addresses(main).length === 0 && groups.length > 1)) return undefined;
  const second = ranked.find(
    (group) => group !== main && addresses(group).some((part) => !main.values.has(part)),
  );
  // The first one's values take precedence.
  const parts = new Map([...(second?.values ?? []), ...main.values]);
  const names = new Map([...(second?.names ?? []), ...main.names]);
  const recognized = [...names.values()];
  return {
    name: main.prefix === "" ? "" : nameOf(main.prefix),
    values: parts,
    recognized,
    ignored: Object.keys(variables).filter((name) => !recognized.includes(name)),
  };
}

function findPlace(name: string): { readonly prefix: string; readonly part: VariablePart } | undefined {
  if (name === `${ownPrefix}_URL`) return { prefix: ownPrefix, part: "gatewayUrl" };
  const words = name.split("_");
  // The shortest prefix has the longest ending.
  for (let length = 0; length < words.length; length++) {
    const ending = words.slice(length).join("_");
    const part = endings.find(([pattern]) => pattern.test(ending))?.[1];
    if (part !== undefined) return { prefix: words.slice(0, length).join("_"), part };
  }
  return undefined;
}

/** `MY_CLOUD` becomes “My Cloud”. */
function nameOf(prefix: string): string {
  if (prefix === "") return t("Environment");
  const words = prefix
    .toLowerCase()
    .split("_")
    .filter((word) => word !== "");
  return words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`).join(" ");
}
