import type { SecretKind } from "../kernel/credential.ts";
import { credentialKinds } from "./credentialKinds.ts";

/** A replacement of a part of a text. */
interface TextReplacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Such as `MY_CLOUD_API_KEY`. */
export function secretVariable(profileName: string, kind: SecretKind): string {
  const words = (text: string): string =>
    text
      .replaceAll(/(?<=[a-z])(?=[A-Z])/g, "_")
      .toUpperCase()
      .replaceAll(/[^A-Z0-9]+/g, "_")
      .replaceAll(/^_+|(?<!_)_+$/g, "");
  const name = [words(profileName), words(credentialKinds[kind].commandName)].filter(Boolean).join("_");
  return /^\d/.test(name) ? `_${name}` : name;
}

/** Where the secret is in the text. */
export function placesOf(
  text: string,
  secret: string,
): readonly { readonly start: number; readonly end: number }[] {
  const places = [];
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + secret.length))
    places.push({ start, end: start + secret.length });
  return places;
}

/** How a program in this language reads an environment variable. */
const readers: Readonly<Record<string, (name: string) => string>> = {
  python: (name) => `os.environ["${name}"]`,
  javascript: (name) => `process.env.${name}`,
  typescript: (name) => `process.env.${name}`,
  javascriptreact: (name) => `process.env.${name}`,
  typescriptreact: (name) => `process.env.${name}`,
  go: (name) => `os.Getenv("${name}")`,
  ruby: (name) => `ENV["${name}"]`,
  java: (name) => `System.getenv("${name}")`,
  kotlin: (name) => `System.getenv("${name}")`,
  csharp: (name) => `Environment.GetEnvironmentVariable("${name}")`,
  php: (name) => `getenv("${name}")`,
};

/**
 * Replaces a secret with a variable as the language reads it: a whole string with an expression, and a part of a string
 * with a concatenation. Elsewhere with `${NAME}`, which shells and many configuration files understand.
 */
export function replaceWithVariable(
  text: string,
  { start, end }: { readonly start: number; readonly end: number },
  languageId: string,
  name: string,
): TextReplacement {
  if (languageId === "powershell") return { start, end, text: `$env:${name}` };
  const reader = readers[languageId];
  const quote = openQuote(text, start);
  if (languageId === "shellscript" && quote === "'") {
    return { start, end, text: `'"\${${name}}"'` };
  }
  if (reader === undefined || quote === undefined) return { start, end, text: `\${${name}}` };
  if (quote === "`") return { start, end, text: `\${${reader(name)}}` };
  if (text.charAt(start - 1) === quote && text.charAt(end) === quote) {
    return { start: start - 1, end: end + 1, text: reader(name) };
  }
  const joint = languageId === "php" ? "." : "+";
  return { start, end, text: `${quote} ${joint} ${reader(name)} ${joint} ${quote}` };
}

/** Longest part of a line that is read, in UTF-16 code units. */
const longestLine = 10_000;

/** The quote that is open at this place of its line; undefined outside of strings. */
function openQuote(text: string, at: number): string | undefined {
  const from = Math.max(text.lastIndexOf("\n", at - 1) + 1, at - longestLine);
  let open: string | undefined;
  for (let index = from; index < at; index++) {
    const character = text.charAt(index);
    if (character === "\\") index++;
    else if (open === undefined && /["'`]/.test(character)) open = character;
    else if (character === open) open = undefined;
  }
  return open;
}
