/** One line of a `.gitignore`; the name of every folder on the way, and of the file, is matched by one segment. */
export interface IgnoreRule {
  readonly segments: readonly (readonly string[])[];
  readonly isNegated: boolean;
  readonly isForFoldersOnly: boolean;
}

/** The lines of a `.gitignore` and the folder it is for, relative to the root and without a slash at its end. */
export interface IgnoreFile {
  readonly folder: string;
  readonly rules: readonly IgnoreRule[];
}

/**
 * Reads a `.gitignore`. Lines that aren't patterns are skipped. The package `ignore` makes a regular expression of every
 * line, which takes minutes for some (those with many `**`): here the time grows with the product of pattern and path.
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

/** Spaces at the end count only behind a backslash. */
function withoutSpacesAtEnd(line: string): string {
  const trimmed = line.trimEnd();
  return trimmed.endsWith("\\") && trimmed.length < line.length ? `${trimmed} ` : trimmed;
}

/** Two stars or more alone are one token; else a name's letters, wildcards and sets. */
function nameTokens(name: string): readonly string[] {
  if (/^\*{2,}$/.test(name)) return ["**"];
  return name.match(/\*+|\\.|\[[!^]?\]?(?:\[:[a-z]+:\]|\\.|[^\]\\])*\]|[^]/gu) ?? [];
}

/**
 * Whether Git ignores the file of this path (relative to the root): the last rule that fits decides, deeper files over
 * higher ones, and below an ignored folder nothing comes back.
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

/** What the names of classes in a set stand for, in ASCII as Git has it. */
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

/** A set such as `[a-z_]`, `[!0-9]` or `[[:digit:]]`. One with a class that doesn't exist has no member. */
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

/** The folders whose `.gitignore` can say something about the file of this path, the root first. */
export function ignoreFolders(path: string): readonly string[] {
  const names = path.split("/").slice(0, -1);
  return ["", ...names.map((_, index) => names.slice(0, index + 1).join("/"))];
}
/** How a pattern with wildcards is read: a star stands for any number of items, another token for one. */
interface Wildcards<Token, Item> {
  isStar(token: Token): boolean;
  fits(token: Token, item: Item): boolean;
}

/** Whether the pattern fits all the items; takes no longer than the product of their lengths, whatever the pattern. */
function matchWildcards<Token, Item>(
  tokens: readonly Token[],
  items: readonly Item[],
  { isStar, fits }: Wildcards<Token, Item>,
): boolean {
  let at = 0;
  /** Behind the latest star, and the first item that it doesn't take. */
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
