import { t } from "@vscode/l10n";
import { isRecord, parseJson } from "../kernel/json.ts";
import { carrierOptions } from "./credentialPlaces.ts";
import { formatSources } from "./formatSource.ts";
import { chooseVariables } from "./environmentProfiles.ts";
import type { ProfileVariables } from "./environmentProfiles.ts";
import { parseProfiles } from "./parseProfiles.ts";
import type { Profile } from "./profile.ts";
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

const settingName = "inferenceGateway.profiles";

/**
 * Formats the profiles as a file that can be imported or copied into the settings. It contains no secrets, because
 * profiles have none.
 */
export function formatProfiles(profiles: readonly Profile[]): string {
  return `${JSON.stringify({ [settingName]: profiles.map(createProfileEntry) }, undefined, 2)}\n`;
}

/** The profile as an entry of the setting, with default values omitted. */
export function createProfileEntry(profile: Profile): Readonly<Record<string, unknown>> {
  const { name, inferenceBaseUrl, gatewayUrl, signature, serverListQuery, headers } = profile;
  const entry = {
    name,
    inferenceBaseUrl,
    gatewayUrl,
    gatewayCredential: gatewayUrl === undefined ? undefined : profile.gatewayCredential,
    ...Object.fromEntries(carrierOptions.map((option) => [option, unless("header", profile[option])])),
    signatureEncoding: unless("hex", signature.encoding),
    signatureEmptyValues: unless("omit", signature.emptyValues),
    ...formatSources(profile.credentialSources),
    serverListQuery: Object.keys(serverListQuery).length === 0 ? undefined : serverListQuery,
    headers: Object.keys(headers).length === 0 ? undefined : headers,
    allowInsecureHttp: profile.allowInsecureHttp ? true : undefined,
    apiKeyOptional: profile.apiKeyOptional,
    models: profile.models,
    production: profile.production,
    color: profile.color,
    serverPrices: profile.serverPrices,
    consoleUrl: profile.consoleUrl,
    timeout: profile.timeoutMs === undefined ? undefined : profile.timeoutMs / 1_000,
    proxy: profile.proxy,
    caFile: profile.caFile,
    defaultModel: profile.defaultModel,
  };
  return Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== undefined));
}

/** Reads a profile export or a fragment of the settings, regardless of the file name. */
export function readProfileFile(text: string): ReturnType<typeof parseProfiles> {
  const value = parseJson(text.replace(/^\ufeff/, ""));
  const reading = value === undefined ? undefined : parseProfiles(findEntries(value));
  if (reading !== undefined && reading.profiles.length + reading.problems.length > 0) return reading;
  return {
    profiles: [],
    problems: [
      t(
        "There are no profiles in this file. It must be an export of profiles. A .env file can be pasted into the form of a profile.",
      ),
    ],
  };
}

function findEntries(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const list = value[settingName] ?? value["profiles"];
  return list ?? (value["name"] === undefined ? [] : [value]);
}

function unless<T>(usual: T, value: T): T | undefined {
  return value === usual ? undefined : value;
}

/** The position of an imported profile among the existing ones. */
interface ProfilePlace {
  readonly name: string;
  /** False if an identical profile already exists. */
  readonly isNew: boolean;
}

/** Never replaces a profile. If one of the same name points elsewhere, the imported one becomes “Name (2)”. */
export function placeProfile(existing: readonly Profile[], imported: Profile): ProfilePlace {
  const namesake = existing.find(({ name }) => name === imported.name);
  if (namesake === undefined) return { name: imported.name, isNew: true };
  const isSame =
    namesake.inferenceBaseUrl === imported.inferenceBaseUrl && namesake.gatewayUrl === imported.gatewayUrl;
  if (isSame) return { name: imported.name, isNew: false };
  const names = new Set(existing.map(({ name }) => name));
  for (let number = 2; ; number++) {
    const name = `${imported.name} (${number})`;
    if (!names.has(name)) return { name, isNew: true };
  }
}
