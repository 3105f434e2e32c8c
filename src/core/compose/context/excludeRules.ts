/** One line of a `.gitignore`. Each folder name on the path, and the file name, is matched by one segment. */
interface IgnoreRule {
  readonly segments: readonly (readonly string[])[];
  readonly isNegated: boolean;
  readonly isForFoldersOnly: boolean;
}

/** The lines of a `.gitignore` and the folder that it applies to, relative to the root and without a trailing slash. */
export interface IgnoreFile {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

/**
 * Parses a `.gitignore`. Lines that aren't patterns are skipped. The package `ignore` turns every line into a regular
 * expression, which takes minutes for some lines (those with many `**`). Here, the time is proportional to the product
 * of the pattern's length and the path's.
 */
export function parseGitIgnore(text: string): readonly IgnoreRule[] {
  return text
    .replace(/^\ufeff/, "")
    .split(/\r?\n/)
    .flatMap(parseRule);
}

function parseRule(line: string): readonly IgnoreRule[] {
  const text = withoutSpacesAtEnd(line);
  if (text === "" || text.startsWith("#")) return [];
  const isNegated = text.startsWith("!");
  const body = isNegated ? text.slice(1) : text;
  const isForFoldersOnly = body.endsWith("/");
  const path = isForFoldersOnly ? body.slice(0, -1) : body;
  const names = path.replace(/^\//, "").split("/");
  if (names.join("") === "") return [];
  const inside = names.at(-1) === "**" ? [...names.slice(0, -1), "*", "**"] : names;
  const anchored = path.includes("/") ? inside : ["**", ...inside];
  return [{ segments: anchored.map(nameTokens), isNegated, isForFoldersOnly }];
}

/** Trailing spaces count only after a backslash. */
function withoutSpacesAtEnd(line: string): string {
  const trimmed = line.trimEnd();
  return trimmed.endsWith("\\") && trimmed.length < line.length ? `${trimmed} ` : trimmed;
}

/**
 * Two or more stars on their own are a single token. Otherwise, the tokens are a name's letters, wildcards and sets.
 */
function nameTokens(name: string): readonly string[] {
  if (/^\*{2,}$/.test(name)) return ["**"];
  return name.match(/\*+|\\.|\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*\]|[^]/gu) ?? [];
}

/**
 * Whether Git ignores the file with this path (relative to the root). The last matching rule decides, deeper files
 * override higher ones, and nothing below an ignored folder can be included again.
 */
export function isGitIgnored(path: string, files: readonly IgnoreFile[]): boolean {
  const names = path.split("/");
  const sorted = files.toSorted((a, b) => a.folder.length - b.folder.length);
  return names.some((_, index) => isMatched(names.slice(0, index + 1), index < names.length - 1, sorted));
}

function isMatched(names: readonly string[], isFolder: boolean, files: readonly IgnoreFile[]): boolean {
  const path = names.join("/");
  let isIgnored = false;
  for (const { folder, rules } of files) {
    if (folder !== "" && !path.startsWith(`${folder}/`)) continue;
    const inner = folder === "" ? names : path.slice(folder.length + 1).split("/");
    for (const { segments, isNegated, isForFoldersOnly } of rules) {
      if (isFolder || !isForFoldersOnly) {
        if (matchWildcards(segments, inner, pathWildcards)) isIgnored = !isNegated;
      }
    }
  }
  return isIgnored;
}

const pathWildcards = {
  isStar: (tokens: readonly string[]) => tokens.length === 1 && tokens[0] === "**",
  fits: (tokens: readonly string[], name: string) => matchWildcards(tokens, [...name], nameWildcards),
};

const nameWildcards = {
  isStar: (token: string) => token.startsWith("*"),
  fits(token: string, letter: string): boolean {
    if (token === "?") return true;
    if (token.length > 1 && token.startsWith("[")) return isInSet(token, letter);
    return (token.length > 1 && token.startsWith("\\") ? token.slice(1) : token) === letter;
  },
};

/** The meaning of the class names in a set, limited to ASCII as in Git. */
const classes: Readonly<Record<string, RegExp>> = {
  alnum: /[a-z\d]/i,
  alpha: /[a-z]/i,
  blank: /[ \t]/,
  cntrl: /[\0-\x1f\x7f]/,
  digit: /\d/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\r\n]/,
  upper: /[A-Z]/,
  xdigit: /[\da-f]/i,
};

/** A set such as `[a-z_]`, `[!0-9]` or `[[:digit:]]`. A set with an invalid class matches nothing. */
function isInSet(token: string, letter: string): boolean {
  const isNegated = /^\[[!^]/.test(token);
  const members = token.slice(isNegated ? 2 : 1, -1).match(/\[:[a-z]+:\]|\\?[^]/gu) ?? [];
  const plain = members.map((member) => member.replace(/^\\/, ""));
  let isInside = false;
  for (let at = 0; at < members.length; at++) {
    const [first = "", name] = [plain[at], /^\[:(.+):\]$/.exec(members[at] ?? "")?.[1]];
    if (name !== undefined) {
      const known = Object.hasOwn(classes, name) ? classes[name] : undefined;
      if (known === undefined) return false;
      isInside ||= known.test(letter);
      continue;
    }
    const last = members[at + 1] === "-" ? plain[at + 2] : undefined;
    isInside ||= first === letter || (last !== undefined && first <= letter && letter <= last);
    if (last !== undefined) at += 2;
  }
  return isInside !== isNegated;
}

/** The folders whose `.gitignore` can apply to the file with this path, the root first. */
export function ignoreFolders(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return ["", ...names.map((_, index) => names.slice(0, index + 1).join("/"))];
}
/** How a pattern with wildcards is interpreted: a star matches any number of items, another token matches one. */
interface Wildcards<Token, Item> {
  isStar(token: Token): boolean;
  fits(token: Token, item: Item): boolean;
}

/**
 * Whether the pattern matches all the items. Takes no longer than the product of their lengths, whatever the pattern.
 */
function matchWildcards<Token, Item>(
  tokens: readonly Token[],
  items: readonly Item[],
  { isStar, fits }: Wildcards<Token, Item>,
): boolean {
  let at = 0;
  /** The token after the latest star, and the first item that the star doesn't consume. */
  let resume: { readonly token: number; item: number } | undefined;
  for (let index = 0; index < items.length;) {
    const token = tokens[at];
    const item = items[index];
    if (token !== undefined && isStar(token)) {
      resume = { token: ++at, item: index };
    } else if (token !== undefined && item !== undefined && fits(token, item)) {
      at++;
      index++;
    } else if (resume !== undefined) {
      index = ++resume.item;
      at = resume.token;
    } else return false;
  }
  return tokens.slice(at).every(isStar);
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

/** More alternatives than a glob written by a person has. */
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
export function excludeRules(globs: readonly string[]): readonly IgnoreRule[] {
  return globs.flatMap(expandBraces).flatMap((glob) => parseGitIgnore(`/${glob.replace(/^\//, "")}`));
}

/** `*.{a,b}` becomes `*.a` and `*.b`. */
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
