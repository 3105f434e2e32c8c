import { parseGitIgnore } from "./gitIgnore.ts";
import type { IgnoreRule } from "./gitIgnore.ts";
/** Letters of a query that are tried at every border of a folder; longer ones are looked for as they are. */
const longestSplit = 16;

/**
 * Glob of the files whose path may fit the query letter by letter, whatever their case. `/` matches itself; without
 * one, the query may also span a folder and the path below it.
 */
export function fileGlob(query: string): string {
  const parts = query.split(/[/\\]+/).filter((part) => part !== "");
  if (parts.length === 0) return "**/*";
  const [only = ""] = parts;
  if (parts.length > 1) return `**/${parts.map(scattered).join("/**/")}`;
  const letters = [...only];
  if (letters.length < 2 || letters.length > longestSplit) return `**/${scattered(only)}`;
  const splits = letters
    .slice(1)
    .map(
      (_, index) =>
        `${scattered(letters.slice(0, index + 1).join(""))}/**/${scattered(letters.slice(index + 1).join(""))}`,
    );
  return `**/{${[scattered(only), ...splits].join(",")}}`;
}

function scattered(part: string): string {
  return `*${[...part].map((letter) => `${anyCase(letter)}*`).join("")}`;
}

function anyCase(letter: string): string {
  const [lower, upper] = [letter.toLowerCase(), letter.toUpperCase()];
  if (/[\p{L}\p{N}]/u.test(letter)) {
    return lower === upper || lower.length !== upper.length ? letter : `[${lower}${upper}]`;
  }
  // What means something in a glob stands for any character: the ranking behind it is exact.
  return /[\w.@+-]/.test(letter) ? letter : "?";
}

/** Names of files that usually hold keys, tokens or passwords. */
const secretNames: readonly RegExp[] = [
  /^\.env(?:\.(?!example$|sample$|template$|dist$).*)?$/,
  /\.env$/,
  /^\.envrc$/,
  /^\.(?:npmrc|pypirc|netrc|htpasswd|pgpass|git-credentials|dockercfg)$/,
  /^id_(?:rsa|dsa|ecdsa|ed25519)(?:_sk)?$/,
  /\.(?:pem|key|p12|pfx|jks|keystore|kdbx|ppk|ovpn|tfstate|tfvars)$/,
  /^(?:credentials|secrets?)(?:\.(?:json|ya?ml|toml|ini|xml|txt|properties))?$/,
  /^(?:kubeconfig|service-?account.*\.json|.*\.agekey)$/,
];

/** Whether a file of this path usually holds secrets: it is attached only by a knowing user. */
export function isSecretFile(path: string): boolean {
  const name = path.split(/[/\\]/).at(-1)?.toLowerCase() ?? "";
  return secretNames.some((pattern) => pattern.test(name));
}

/** More alternatives than a glob of a person has. */
const maxAlternatives = 64;

/** The globs that settings such as `files.exclude` turn on, later tables over earlier ones. */
export function excludeGlobs(...tables: readonly unknown[]): readonly string[] {
  const globs = new Set<string>();
  for (const table of tables) {
    if (typeof table !== "object" || table === null) continue;
    for (const [glob, value] of Object.entries(table)) {
      if (value === true) globs.add(glob);
      else globs.delete(glob);
    }
  }
  return [...globs];
}

/** One glob for all of them; undefined if there is none. */
export function joinGlobs(globs: readonly string[]): string | undefined {
  return globs.length > 1 ? `{${globs.join(",")}}` : globs[0];
}

/** The globs as rules of a `.gitignore` in the workspace's folder: they mean the same. */
export function excludeRules(globs: readonly string[]): readonly IgnoreRule[] {
  return globs.flatMap(expandBraces).flatMap((glob) => parseGitIgnore(`/${glob.replace(/^\//, "")}`));
}

/** `*.{a,b}` is `*.a` and `*.b`. */
function expandBraces(glob: string): readonly string[] {
  let globs: readonly string[] = [glob];
  for (;;) {
    const next = globs.flatMap((each) => {
      const match = /^([^]*?)\{([^{}]*)\}([^]*)$/.exec(each);
      if (match === null) return [each];
      return (match[2] ?? "").split(",").map((word) => `${match[1] ?? ""}${word}${match[3] ?? ""}`);
    });
    if (next.every((each, index) => each === globs[index]) || next.length > maxAlternatives) return globs;
    globs = next;
  }
}
