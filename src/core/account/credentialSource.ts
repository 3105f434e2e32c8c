import { t } from "@vscode/l10n";
import type { SecretKind } from "../kernel/credential.ts";
import { isRecord } from "../kernel/json.ts";
import { isSecretKind, secretKinds } from "./credentialKinds.ts";
import { looksLikeCredential } from "./redaction.ts";

/** A program and its arguments, started without a shell. */
export type CredentialCommand = readonly [program: string, ...args: readonly string[]];

/** Where a credential comes from if the user doesn't enter it. */
export type CredentialSource =
  | { readonly from: "command"; readonly command: CredentialCommand }
  /** Absolute, or relative to the home directory if it starts with `~/`. */
  | { readonly from: "file"; readonly path: string }
  | { readonly from: "variable"; readonly name: string };

/** The sources of a profile, by the kind of credential that they supply. */
export type CredentialSources = Readonly<Partial<Record<SecretKind, CredentialSource>>>;

/** The whole command has to fit in the dialog that confirms it, in UTF-16 code units. */
const longestCommand = 8_000;

/** Each option of a profile with how its value is read; undefined for a value that isn't valid. */
const sourceOptions = {
  credentialCommand: {
    read(value: unknown): CredentialSource | undefined {
      if (!Array.isArray(value) || !value.every((part) => typeof part === "string")) return undefined;
      const [program, ...args]: readonly string[] = value;
      const isUsable = isCommandName(program) && !value.some((part) => part.includes("\0"));
      return isUsable && value.join(" ").length <= longestCommand
        ? { from: "command", command: [program, ...args] }
        : undefined;
    },
    problem: () =>
      t(
        '“credentialCommand” must be a list of a program and its arguments, such as ["vault", "print", "token"]. No shell is used. The program is a name to look up in PATH, or an absolute path.',
      ),
  },
  credentialFile: {
    read(value: unknown): CredentialSource | undefined {
      return typeof value === "string" && isFilePath(value) ? { from: "file", path: value } : undefined;
    },
    problem: () => t("“credentialFile” must be an absolute path, or a path that starts with ~/."),
  },
  credentialVariable: {
    read(value: unknown): CredentialSource | undefined {
      const isName = typeof value === "string" && /^[A-Za-z_][A-Za-z0-9_()]{0,199}$/.test(value);
      return isName ? { from: "variable", name: value } : undefined;
    },
    problem: () =>
      t("“credentialVariable” must be the name of an environment variable, such as EXAMPLE_STS_TOKEN."),
  },
} as const;

/** The option of a profile that names the source of a credential. Each credential has at most one source. */
type SourceOption = keyof typeof sourceOptions;

/** The options for a source, in the order in which they are listed. */
export const sourceOptionNames: readonly SourceOption[] = [
  "credentialCommand",
  "credentialFile",
  "credentialVariable",
];

/** Whether it is an absolute path, or one in the home directory: `~/`. */
export function isFilePath(text: string): boolean {
  return /^(?:~[\\/]|[\\/]|[A-Za-z]:[\\/])[^\0]{1,1000}$/.test(text);
}

/** A relative path would depend on the folder that VS Code was started in. */
function isCommandName(program: string | undefined): program is string {
  return (
    program !== undefined && (/^[^\\/\s][^\\/]*$/.test(program) || /^(?:[\\/]|[A-Za-z]:[\\/])/.test(program))
  );
}

/**
 * Reads the sources of a profile. Each option is a value for `usual`, or an object with a value for each kind of
 * credential.
 */
export function readSources(
  values: Readonly<Record<string, unknown>>,
  usual: SecretKind,
  report: (problem: string) => void,
): CredentialSources {
  const sources: Partial<Record<SecretKind, CredentialSource>> = {};
  for (const option of sourceOptionNames) {
    const value = values[option];
    if (value === undefined || value === null) continue;
    const byKind = isRecord(value) ? value : { [usual]: value };
    for (const [name, item] of Object.entries(byKind)) {
      const kind = isSecretKind(name) ? name : undefined;
      const source = sourceOptions[option].read(item);
      if (kind === undefined)
        report(t("“{0}” can't supply “{1}”. Use one of: {2}.", option, name, secretKinds.join(", ")));
      else if (source === undefined) report(sourceOptions[option].problem());
      else if (sources[kind] !== undefined)
        report(t("“{0}” is ignored: another option supplies the same credential.", option));
      else if (source.from === "command" && source.command.some(looksLikeCredential)) {
        report(t("“{0}” contains a credential. Remove it from the settings.", option));
      } else sources[kind] = source;
    }
  }
  return sources;
}
