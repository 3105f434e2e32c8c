import { t } from "@vscode/l10n";
import { readHttpAddress, isLoopbackHost } from "../kernel/httpAddress.ts";
import { isRecord } from "../kernel/json.ts";
import { filledFields } from "../kernel/filledFields.ts";
import { readBaseUrl } from "./baseUrl.ts";
import type { BaseUrlRole } from "./baseUrl.ts";
import { gatewayKinds } from "./credentialKinds.ts";
import { carriers, credentialNames } from "./credentialPlaces.ts";
import { isFilePath, readSources, sourceOptionNames } from "./credentialSource.ts";
import { parseModelOptions } from "./modelOptions.ts";
import { profileColors } from "./profile.ts";
import type { Profile } from "./profile.ts";
import { parseServerPricing } from "./serverPricing.ts";
import { isSensitiveName, looksLikeCredential } from "./redaction.ts";

/** Headers that the clients set themselves, or that belong to the connection. */
const ownHeaders: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "connection",
  "content-length",
  "content-type",
  "expect",
  "host",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/**
 * One entry of the setting while it is being parsed: each option is validated, and an invalid one is reported and
 * replaced by its default. Reports are clauses without a period, such as "its “headers” must be an object".
 */
class ProfileEntry {
  readonly #values: Readonly<Record<string, unknown>>;
  readonly report: (problem: string) => void;

  constructor(values: Readonly<Record<string, unknown>>, report: (problem: string) => void) {
    this.#values = values;
    this.report = report;
  }

  /** A key written into the settings is the worst case, because settings are synchronized and shown on screens. */
  refuseUnknown(known: ReadonlySet<string>): void {
    for (const option of Object.keys(this.#values)) {
      if (known.has(option)) continue;
      this.report(
        isSensitiveName(option)
          ? t("“{0}” must not be stored in settings. Remove it, and use “Set Credential…” instead.", option)
          : t("“{0}” isn't a profile option and is ignored.", option),
      );
    }
  }

  /** The option as the user wrote it. */
  raw(option: string): unknown {
    return this.#values[option];
  }

  /** The trimmed text of an option; undefined if it is missing, or if it isn't a text, which is reported. */
  text(option: string): string | undefined {
    const value = this.#values[option];
    if (value === undefined || value === null) return undefined;
    if (typeof value === "string") return value.trim();
    this.report(t("“{0}” must be a string.", option));
    return undefined;
  }

  /** False unless the option is true. */
  flag(option: string): boolean {
    const value = this.#values[option];
    const isSet = value !== undefined && value !== null;
    if (isSet && typeof value !== "boolean") this.report(t("“{0}” must be true or false.", option));
    return value === true;
  }

  /** The first choice is the default. */
  oneOf<const T extends string>(option: string, choices: readonly [T, ...T[]]): T {
    const value = this.#values[option];
    const choice = choices.find((candidate) => candidate === value);
    if (choice !== undefined) return choice;
    if (value !== undefined && value !== null) {
      this.report(
        t(
          "“{0}” must be one of {1}. “{2}” is used instead.",
          option,
          [...new Set(choices)].join(", "),
          choices[0],
        ),
      );
    }
    return choices[0];
  }

  /** One of the choices, or undefined. */
  optional<const T extends string>(option: string, choices: readonly T[]): T | undefined {
    const value = this.#values[option];
    const choice = choices.find((candidate) => candidate === value);
    if (choice === undefined && value !== undefined && value !== null) {
      this.report(t("“{0}” must be one of {1}. The value is ignored.", option, choices.join(", ")));
    }
    return choice;
  }

  /** Query parameters by name, without those that belong to the credentials, which are reported. */
  query(option: string): Readonly<Record<string, string>> {
    return this.#texts(option, (name) => {
      if (!credentialNames.parameters.has(name.toLowerCase()) && !isSensitiveName(name)) return undefined;
      return t("The query parameter “{0}” is part of the credentials. Remove it from “{1}”.", name, option);
    });
  }

  /** Headers by name, without invalid ones and those that contain a credential, which are reported. */
  headers(option: string): Readonly<Record<string, string>> {
    return this.#texts(option, (name, value) => {
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return t("“{0}” contains an invalid header name.", option);
      if (isSensitiveName(name) || looksLikeCredential(value)) {
        return t(
          "The header “{0}” contains a credential. Remove it, and use “Set Credential…” instead.",
          name,
        );
      }
      if (ownHeaders.has(name.toLowerCase()))
        return t("The header “{0}” is set by the extension. Remove it.", name);
      if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
        return t("The header “{0}” contains invalid characters.", name);
      return undefined;
    });
  }

  /** A map of strings; numbers and booleans are converted as written. */
  #texts(
    option: string,
    refuse: (name: string, value: string) => string | undefined,
  ): Readonly<Record<string, string>> {
    const value = this.#values[option];
    if (value === undefined || value === null) return {};
    if (!isRecord(value)) {
      this.report(t("“{0}” must be an object with string values.", option));
      return {};
    }
    const texts = Object.entries(value).flatMap(([name, item]) => {
      const text = scalarText(item);
      if (text === undefined) {
        this.report(t("“{0}” in “{1}” must be a string.", name, option));
        return [];
      }
      const refusal = refuse(name, text);
      if (refusal === undefined) return [[name, text] as const];
      this.report(refusal);
      return [];
    });
    return Object.fromEntries(texts);
  }
}

function scalarText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

const connectionOptions = ["consoleUrl", "timeout", "proxy", "caFile", "defaultModel"] as const;

/** The options of a profile about its connections and what it starts with. */
type ProfileConnection = Pick<Profile, "consoleUrl" | "timeoutMs" | "proxy" | "caFile" | "defaultModel">;

/** The longest time that a timer supports is 24 days. */
const longestTimeoutSeconds = 86_400;

/** Reads these options; an invalid one is reported and left out, so that the setting for all profiles applies. */
function readConnection(entry: ProfileEntry): ProfileConnection {
  return filledFields({
    consoleUrl: check(entry, "consoleUrl", isConsole, () =>
      t("“consoleUrl” must be the https:// URL of the console, without a user name or password."),
    ),
    timeoutMs: readTimeout(entry),
    proxy: check(entry, "proxy", isProxy, () =>
      t(
        "“proxy” must be a URL such as http://proxy.example:3128, or “direct”. A proxy with a password is set in VS Code's http.proxy.",
      ),
    ),
    caFile: check(entry, "caFile", isFilePath, () =>
      t("“caFile” must be the absolute path of a PEM file, or a path that starts with ~/."),
    ),
    defaultModel: check(entry, "defaultModel", isModel, () =>
      t("“defaultModel” must be the name of a model, such as example/model."),
    ),
  });
}

function check(
  entry: ProfileEntry,
  option: string,
  isValid: (text: string) => boolean,
  problem: () => string,
): string | undefined {
  const text = entry.text(option);
  if (text === undefined || text === "") return undefined;
  if (isValid(text)) return text;
  entry.report(problem());
  return undefined;
}

function readTimeout(entry: ProfileEntry): number | undefined {
  const value = entry.raw("timeout");
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && value >= 1 && value <= longestTimeoutSeconds) return value * 1_000;
  entry.report(t("“timeout” must be a number of seconds from 1 to {0}.", String(longestTimeoutSeconds)));
  return undefined;
}

function isConsole(text: string): boolean {
  const reading = readHttpAddress(text);
  return "address" in reading && (reading.address.scheme === "https" || isLoopbackHost(reading.address.host));
}

function isProxy(text: string): boolean {
  const reading = readHttpAddress(text);
  return text === "direct" || ("address" in reading && /^\/?$/.test(reading.address.path));
}

function isModel(text: string): boolean {
  return /^[^\s\p{Cc}\p{Cf}]{1,300}$/u.test(text);
}

/** The result of parsing the setting `inferenceGateway.profiles`. */
interface ProfilesReading {
  readonly profiles: readonly Profile[];
  /** Full sentences about what is wrong and what to do; none repeats a value that may be a secret. */
  readonly problems: readonly string[];
}

/**
 * Parses the setting `inferenceGateway.profiles`. The usable part of a partly invalid entry is kept; one without a
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
  ...Object.keys(carriers),
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
  "serverPrices",
  ...connectionOptions,
]);

/** Parses one entry; `position` counts from 1. Its problems are appended to `problems`. */
function parseProfile(value: unknown, position: number, problems: string[]): Profile | undefined {
  if (!isRecord(value)) {
    problems.push(t("Profile {0} must be an object with a name and base URLs.", String(position)));
    return undefined;
  }
  const nameReading = readProfileName(value["name"]);
  if (nameReading.name === undefined) {
    problems.push(t("Profile {0}: {1}", String(position), nameReading.problem));
    return undefined;
  }
  const { name } = nameReading;
  const entry = new ProfileEntry(value, (problem) => problems.push(t("Profile “{0}”: {1}", name, problem)));
  entry.refuseUnknown(knownOptions);
  const allowInsecureHttp = entry.flag("allowInsecureHttp");
  const inferenceBaseUrl = readUrl(entry, "inferenceBaseUrl", "inference", allowInsecureHttp);
  const gatewayUrl = readUrl(entry, "gatewayUrl", "gateway", allowInsecureHttp);
  if (value["inferenceBaseUrl"] === undefined && value["gatewayUrl"] === undefined) {
    entry.report(t("Neither “inferenceBaseUrl” nor “gatewayUrl” is set. Add one of them."));
  }
  const gatewayCredential = entry.oneOf("gatewayCredential", ["accessKey", ...gatewayKinds]);
  const usual = gatewayUrl === undefined || gatewayCredential === "accessKey" ? "apiKey" : gatewayCredential;
  const credentialSources = readSources(value, usual, entry.report);
  return filledFields({
    ...{ name, inferenceBaseUrl, gatewayUrl, gatewayCredential },
    sessionTokenCarrier: entry.oneOf("sessionTokenCarrier", carriers.sessionTokenCarrier),
    stsTokenCarrier: entry.oneOf("stsTokenCarrier", carriers.stsTokenCarrier),
    signature: {
      encoding: entry.oneOf("signatureEncoding", ["hex", "base64"]),
      emptyValues: entry.oneOf("signatureEmptyValues", ["omit", "keep"]),
    },
    ...(Object.keys(credentialSources).length === 0 ? {} : { credentialSources }),
    serverListQuery: entry.query("serverListQuery"),
    headers: entry.headers("headers"),
    allowInsecureHttp,
    apiKeyOptional: entry.flag("apiKeyOptional") || undefined,
    models: parseModelOptions(value["models"], entry.report),
    production: entry.flag("production") || undefined,
    color: entry.optional("color", profileColors),
    serverPrices: parseServerPricing(value["serverPrices"], entry.report),
    ...readConnection(entry),
  });
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
