import { t } from "@vscode/l10n";
import { secretKinds } from "./credentialKinds.ts";
import type { CredentialSource, CredentialSources, SourceOption } from "./credentialSource.ts";

/** The sources as options of a profile. */
export function formatSources(sources: CredentialSources = {}): Readonly<Record<string, unknown>> {
  const options: Record<string, Record<string, unknown>> = {};
  for (const kind of secretKinds) {
    const source = sources[kind];
    if (source === undefined) continue;
    const [option, value] = optionOf(source);
    options[option] = { ...options[option], [kind]: value };
  }
  return options;
}

function optionOf(source: CredentialSource): readonly [SourceOption, unknown] {
  if (source.from === "command") return ["credentialCommand", source.command];
  return source.from === "file" ? ["credentialFile", source.path] : ["credentialVariable", source.name];
}

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
