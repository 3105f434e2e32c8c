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
function chooseVariables(
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

/**
 * One line: `NAME=value`, `export NAME="value"`, `declare -x NAME="value"`, `set NAME=value`, `$env:NAME = "value"`.
 */
const assignment = /^(?:export\s+|declare -x\s+|set\s+|\$env:)?([A-Za-z_][A-Za-z0-9_]{0,99})\s*=(.*)$/i;

/**
 * Reads the variables of a `.env` file or a shell script. Lines that aren't assignments are skipped, and nothing is
 * executed.
 */
function parseVariables(text: string): Readonly<Record<string, string>> {
  const pairs = text.split(/\r\n|[\r\n]/).flatMap((line) => {
    const [, name, value = ""] = assignment.exec(line.trim()) ?? [];
    return name === undefined ? [] : [[name, unquote(value.trim())] as const];
  });
  return Object.fromEntries(pairs);
}

/** The value without its quotes and without what follows: a semicolon or a comment. */
function unquote(value: string): string {
  const quoted = /^(?:"([^"]*)"|'([^']*)'|`([^`]*)`)/.exec(value);
  return quoted?.slice(1).find((text) => text !== undefined) ?? (value.split(/\s#/, 1)[0] ?? "").trimEnd();
}

/** Maximum UTF-16 units of a pasted file. */
const longestPaste = 100_000;

/** Reads a `.env` file that was pasted into a form, or explains in a full sentence why nothing in it can be used. */
export function readPastedVariables(text: string): ProfileVariables | { readonly problem: string } {
  if (text.length > longestPaste) return { problem: t("This text is too long to be a .env file.") };
  const found = chooseVariables(parseVariables(text.replace(/^\ufeff/, "")));
  if (found !== undefined) return found;
  return {
    problem: t(
      "This text contains no variables for a profile. It must have lines such as EXAMPLE_BASE_URL=… and EXAMPLE_API_KEY=….",
    ),
  };
}
