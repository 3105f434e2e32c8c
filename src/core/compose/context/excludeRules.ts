import ignore from "ignore";
import type { Ignore } from "ignore";

/** The rules of several `.gitignore` files, from the root to a folder. */
type IgnoreRules = Pick<Ignore, "ignores">;

/** UTF-16 units of a `.gitignore`; a longer one isn't read and counts as ignoring the whole folder. */
const longestIgnoreFile = 256 * 1024;
/**
 * Stars in a rule and in one of its names, and names in a path. The package turns each rule into a regular expression,
 * and each further star would multiply the time that some paths take. What exceeds this counts as ignored: nothing that
 * may be excluded should be attached without a question.
 */
const maxStars = 6;
const maxStarsInName = 3;
const maxNames = 32;

/** The rules of the folders above, and then those of this folder, which is relative to the root. */
export class FolderRules implements IgnoreRules {
  readonly #rules: Ignore;

  /** Letter case doesn't matter, as for Git on Windows and macOS. */
  constructor(text: string, folder = "", above?: FolderRules) {
    this.#rules = ignore({ allowRelativePaths: true, ignoreCase: true });
    if (above !== undefined) this.#rules.add(above.#rules);
    const lines = text.length > longestIgnoreFile ? ["*"] : text.replace(/^\ufeff/, "").split(/\r?\n/);
    for (const line of lines) this.#rules.add(inFolder(boundRule(line), folder));
  }

  /** Whether Git ignores the file with this path, which is relative to the root and ends with a slash for a folder. */
  ignores(path: string): boolean {
    return path.split("/").length > maxNames || this.#rules.ignores(path);
  }
}

/** The rule without more stars than are safe: it then ignores more. Empty if it only includes files again. */
function boundRule(line: string): string {
  // Several of them in a row mean the same as one.
  const rule = line.replace(/(?<=^|[/!])\*{2,}\/(?:\*{2,}\/)+/g, "**/");
  const names = rule.split("/");
  const first = names.findIndex((name) => name.includes("*"));
  const isBound = countStars(rule) <= maxStars && names.every((name) => countStars(name) <= maxStarsInName);
  if (isBound) return rule;
  return rule.startsWith("!") ? "" : [...names.slice(0, first), "**"].join("/");
}

function countStars(rule: string): number {
  return rule.match(/\*+/g)?.length ?? 0;
}

/** The rule as it would be written in the root. */
function inFolder(rule: string, folder: string): string {
  const [, mark = "", body = ""] = /^(!?)(.*)$/s.exec(rule) ?? [];
  if (folder === "" || body.trim() === "" || rule.startsWith("#")) return rule;
  const isAnchored = /\/(?!\s*$)/.test(body);
  const path = folder.replace(/[\\*?[\]!# ]/g, "\\$&");
  return `${mark}/${path}/${isAnchored ? body.replace(/^\//, "") : `**/${body}`}`;
}

/** Letters of a query that may be split at any folder boundary; longer queries are matched unsplit. */
const longestSplit = 16;

/**
 * A glob for the files whose path may match the query letter by letter, ignoring case. `/` matches itself; without one,
 * the query may also span a folder and the path below it.
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
  // Characters with a meaning in a glob are replaced by a wildcard; the ranking that follows is exact.
  return /[\w.@+-]/.test(letter) ? letter : "?";
}

/** Names of files that usually contain keys, tokens or passwords. */
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

/**
 * Whether a file with this path usually contains secrets, so that it is attached only with the user's explicit consent.
 */
export function isSecretFile(path: string): boolean {
  const name = path.split(/[/\\]/).at(-1)?.toLowerCase() ?? "";
  return secretNames.some((pattern) => pattern.test(name));
}

/** The colors of a terminal. */
const colorCodes = /\u001b\[[\d;]*m/g;

/** A diff in the format of Git, without colors; undefined if the text isn't one, so that its files can't be told apart. */
export function parseDiff(text: string): string | undefined {
  const plain = text.replace(colorCodes, "");
  return plain.trim() === "" || /^diff --(?:git|cc|combined) /.test(plain) ? plain : undefined;
}

/**
 * A diff in the format of Git without the files that usually contain secrets, and the lines that name those. Also finds
 * the former name of a file that was renamed.
 */
export function splitSecretFiles(diff: string): {
  readonly others: string;
  readonly secret: readonly string[];
} {
  const files = diff.split(/^(?=diff --(?:git|cc|combined) )/m);
  const isSecret = (file: string): boolean => (headOf(file).match(/[^\s"]+/g) ?? []).some(isSecretFile);
  return {
    others: files.filter((file) => !isSecret(file)).join(""),
    secret: files.filter(isSecret).map((file) => headOf(file).replace(/^diff --\w+ /, "")),
  };
}

/** Empty if the text isn't a file of a diff. */
function headOf(file: string): string {
  return file.startsWith("diff --") ? (file.split("\n", 1)[0] ?? "") : "";
}

/** More alternatives, and more braces, than a glob written by a person has. */
const maxAlternatives = 64;

/** The globs that settings such as `files.exclude` turn on; later tables override earlier ones. */
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

/** Combines the globs into one; undefined if there are none. */
export function joinGlobs(globs: readonly string[]): string | undefined {
  return globs.length > 1 ? `{${globs.join(",")}}` : globs[0];
}

/** The globs as equivalent `.gitignore` rules in the workspace folder. */
export function excludeRules(globs: readonly string[]): IgnoreRules {
  const rules = globs.flatMap(expandBraces).map((glob) => boundRule(`/${glob.replace(/^\//, "")}`));
  return ignore({ allowRelativePaths: true, ignoreCase: false }).add(rules);
}

/** `*.{a,b}` becomes `*.a` and `*.b`. */
function expandBraces(glob: string): readonly string[] {
  let globs: readonly string[] = [glob];
  for (let braces = 0; braces < maxAlternatives; braces++) {
    const next = globs.flatMap((each) => {
      const match = /^([^]*?)\{([^{}]*)\}([^]*)$/.exec(each);
      if (match === null) return [each];
      return (match[2] ?? "").split(",").map((word) => `${match[1] ?? ""}${word}${match[3] ?? ""}`);
    });
    if (next.every((each, index) => each === globs[index]) || next.length > maxAlternatives) break;
    globs = next;
  }
  return globs;
}
