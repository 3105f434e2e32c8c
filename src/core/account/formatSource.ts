import { t } from "@vscode/l10n";
import type { CredentialSource } from "./credentialSource.ts";

/** The source on one line, exactly: arguments with anything unusual in them are quoted. */
export function formatSource(source: CredentialSource): string {
  if (source.from === "file") return source.path;
  if (source.from === "variable") return source.name;
  return source.command
    .map((part) => (/^[\w@%+=:,./~-]+$/.test(part) ? part : JSON.stringify(part)))
    .join(" ");
}

/** The source as a part of a sentence. Arguments are omitted, because error messages are shown and stored. */
export function describeSource(source: CredentialSource): string {
  if (source.from === "file") return t("the file {0}", source.path);
  if (source.from === "variable") return t("the environment variable {0}", source.name);
  return t("the command “{0}”", source.command[0].replace(/^.*[\\/]/, ""));
}
