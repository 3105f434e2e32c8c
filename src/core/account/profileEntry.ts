import { t } from "@vscode/l10n";
import { isRecord } from "../kernel/json.ts";
import { isSensitiveName, looksLikeCredential } from "./redaction.ts";
import { credentialNames } from "./credentialPlaces.ts";

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
export class ProfileEntry {
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
