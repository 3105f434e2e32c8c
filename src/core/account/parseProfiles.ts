import { t } from "@vscode/l10n";
import { readBaseUrl } from "./baseUrl.ts";
import type { BaseUrlRole } from "./baseUrl.ts";
import { isRecord } from "../kernel/json.ts";
import { profileColors } from "./profile.ts";
import type { Profile } from "./profile.ts";
import { parseModelOptions } from "./modelOptions.ts";
import { ProfileEntry } from "./profileEntry.ts";
import { gatewayKinds } from "./credentialKinds.ts";
import { carrierOptions, readCarriers } from "./credentialPlaces.ts";
import { connectionOptions, readConnection } from "./profileConnection.ts";
import { readSources, sourceOptionNames } from "./credentialSource.ts";

/** The result of parsing the setting `inferenceGateway.profiles`. */
export interface ProfilesReading {
  readonly profiles: readonly Profile[];
  /** Full sentences about what is wrong and what to do; none repeats a value that may be a secret. */
  readonly problems: readonly string[];
}

/**
 * Parses the setting `inferenceGateway.profiles`. A partly invalid entry is kept as far as it is usable; one without a
 * usable name, or with a duplicate name, is skipped. Neither affects the other entries.
 */
export function parseProfiles(value: unknown): ProfilesReading {
  if (value === undefined || value === null) return { profiles: [], problems: [] };
  if (!Array.isArray(value)) {
    return {
      profiles: [],
      problems: [t("The setting “inferenceGateway.profiles” must be a list of profiles.")],
    };
  }
  const entries: readonly unknown[] = value;
  const profiles = new Map<string, Profile>();
  const problems: string[] = [];
  for (const [index, entry] of entries.entries()) {
    const profile = parseProfile(entry, index + 1, problems);
    if (profile === undefined) continue;
    if (profiles.has(profile.name)) {
      problems.push(
        t("Two profiles are named “{0}”. The first one is used. Rename the other one.", profile.name),
      );
    } else {
      profiles.set(profile.name, profile);
    }
  }
  return { profiles: [...profiles.values()], problems };
}

const knownOptions: ReadonlySet<string> = new Set([
  "name",
  "inferenceBaseUrl",
  "gatewayUrl",
  "gatewayCredential",
  ...carrierOptions,
  ...sourceOptionNames,
  "signatureEncoding",
  "signatureEmptyValues",
  "serverListQuery",
  "headers",
  "allowInsecureHttp",
  "apiKeyOptional",
  "models",
  "production",
  "color",
  ...connectionOptions,
]);

/** Parses one entry; `position` counts from 1. Its problems are appended to `problems`. */
function parseProfile(value: unknown, position: number, problems: string[]): Profile | undefined {
  if (!isRecord(value)) {
    problems.push(t("Profile {0} must be an object with a name and base URLs.", position));
    return undefined;
  }
  const nameReading = readProfileName(value["name"]);
  if (nameReading.name === undefined) {
    problems.push(t("Profile {0}: {1}", position, nameReading.problem));
    return undefined;
  }
  const { name } = nameReading;
  const entry = new ProfileEntry(value, (problem) => problems.push(t("Profile “{0}”: {1}", name, problem)));
  entry.refuseUnknown(knownOptions);
  const allowInsecureHttp = entry.flag("allowInsecureHttp", false);
  const inferenceBaseUrl = readUrl(entry, "inferenceBaseUrl", "inference", allowInsecureHttp);
  const gatewayUrl = readUrl(entry, "gatewayUrl", "gateway", allowInsecureHttp);
  if (value["inferenceBaseUrl"] === undefined && value["gatewayUrl"] === undefined) {
    entry.report(t("Neither “inferenceBaseUrl” nor “gatewayUrl” is set. Add one of them."));
  }
  const color = entry.optional("color", profileColors);
  const models = parseModelOptions(value["models"], entry.report);
  const gatewayCredential = entry.oneOf("gatewayCredential", ["accessKey", ...gatewayKinds]);
  const usual = gatewayUrl === undefined || gatewayCredential === "accessKey" ? "apiKey" : gatewayCredential;
  const credentialSources = readSources(value, usual, entry.report);
  return {
    name,
    ...(inferenceBaseUrl === undefined ? {} : { inferenceBaseUrl }),
    ...(gatewayUrl === undefined ? {} : { gatewayUrl }),
    gatewayCredential,
    ...readCarriers((option, places) => entry.oneOf(option, places)),
    signature: {
      encoding: entry.oneOf("signatureEncoding", ["hex", "base64"]),
      emptyValues: entry.oneOf("signatureEmptyValues", ["omit", "keep"]),
    },
    ...(Object.keys(credentialSources).length === 0 ? {} : { credentialSources }),
    serverListQuery: entry.query("serverListQuery"),
    headers: entry.headers("headers"),
    allowInsecureHttp,
    ...(entry.flag("apiKeyOptional", false) ? { apiKeyOptional: true } : {}),
    ...(models === undefined ? {} : { models }),
    ...(entry.flag("production", false) ? { production: true } : {}),
    ...(color === undefined ? {} : { color }),
    ...readConnection(entry),
  };
}

/** A profile's name, or a sentence that explains what is wrong with it. */
export function readProfileName(value: unknown): {
  readonly name?: string;
  readonly problem: string;
} {
  if (typeof value !== "string" || value.trim() === "") return { problem: t("A profile needs a name.") };
  const name = value.trim();
  if (name.length > 100) return { problem: t("A profile name can have up to 100 characters.") };
  if (/[\p{Cc}\p{Cf}]/u.test(name))
    return { problem: t("A profile name can't contain invisible characters.") };
  return { name, problem: "" };
}

function readUrl(
  entry: ProfileEntry,
  option: string,
  role: BaseUrlRole,
  allowInsecureHttp: boolean,
): string | undefined {
  const text = entry.text(option);
  if (text === undefined || text === "") return undefined;
  const { url, problem } = readBaseUrl(text, role, allowInsecureHttp);
  if (problem !== undefined) entry.report(t("“{0}”: {1}", option, problem));
  return url;
}
