/** Maximum length of a file name that is accepted, in UTF-16 units. */
const maxLength = 200;

const path = /^[^\s"'`<>|:*?\u0000-\u001F\u007F]+$/;
const extension = /[^/\\.]\.[A-Za-z][A-Za-z0-9]{0,9}$/;
/** File names that need no extension. */
const bareNames =
  /^(?:\.[A-Za-z][\w.-]*|Makefile|Dockerfile|Containerfile|Gemfile|Rakefile|Procfile|Justfile|Jenkinsfile|CMakeLists\.txt)$/;
/** Words that look like file names but hardly ever are. */
const products = /^(?:Node|Vue|Next|Nuxt|Express|Three|D3|React|Backbone|Ember|Deno|Socket)\.(?:js|io)$/i;

/** Whether the word is probably a file name or path. */
function isFileName(word: string): boolean {
  if (word.length > maxLength || !path.test(word) || products.test(word)) return false;
  const name = word.split(/[/\\]/).at(-1) ?? "";
  return bareNames.test(name) || extension.test(name);
}

/** What follows a fence: the language and, if given, the file that the code belongs to. */
export interface FenceInfo {
  /** The first word as written; empty if there is none. */
  readonly language: string;
  readonly fileName?: string;
}

/** UTF-16 units after a fence that are searched for a name. */
const longestInfo = 1_000;

const named =
  /(?:^|[\s{,])(?:title|file|filename|file_name|path|name)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s,}]+))/i;

/** Parses `ts src/a.ts`, `ts:src/a.ts`, `ts title="src/a.ts"`, `ts {file=src/a.ts}` and `src/a.ts`. */
export function parseFenceInfo(info: string): FenceInfo {
  const text = info.trim();
  const [first = "", ...words] = text.split(/\s+/);
  const colon = /^([\w+#.-]+):(.+)$/.exec(first);
  const language = colon?.[1] ?? first.split("{", 1)[0] ?? "";
  const match = named.exec(text.slice(0, longestInfo));
  const candidates = [
    match?.[1] ?? match?.[2] ?? match?.[3],
    colon?.[2],
    ...words,
    isPath(first) ? first : "",
  ];
  const fileName = candidates.find((word) => word !== undefined && isFileName(word));
  if (fileName === undefined) return { language };
  return { language: fileName === first ? (extensionOf(first) ?? "") : language, fileName };
}

const commentStart = /^(?:\/{2,}|#+|--|;+|%+|\/\*+|<!--)/;

/** The file named by a first line, such as `// src/a.ts`: a comment that contains nothing else. */
export function fileNameInComment(line: string): string | undefined {
  const text = line.slice(0, maxLength + 20).trim();
  const inner = text.replace(commentStart, "");
  if (inner === text) return undefined;
  const word = inner
    .replace(/(?:\*\/|-->)$/, "")
    .trim()
    .replace(/^(?:file|filename|path)\s*:\s*/i, "");
  return isFileName(word) ? word : undefined;
}

/**
 * The file named by the line before a block, as plain text: a path, either alone or in a sentence that introduces the
 * block with a colon.
 */
export function fileNameFromProse(text: string): string | undefined {
  const line = text.trimEnd().split("\n").at(-1)?.trim() ?? "";
  if (line.length > maxLength) return undefined;
  const words = line
    .split(/\s+/)
    .map((word) => word.replace(/^[("'`*_[]+/, "").replace(/(?<![)"'`*_\],:;])[)"'`*_\],:;]+$/, ""))
    .map((word) => (isFileName(word) ? word : word.replace(/\.$/, "")));
  const names = new Set(words.filter(isFileName));
  const [name] = names;
  const leads =
    line.endsWith(":") ||
    words.filter((word) => word !== "" && !/^(?:file|path):?$/i.test(word)).length === 1;
  return names.size === 1 && leads ? name : undefined;
}

/**
 * The path inside a workspace folder that a model's file name may refer to: relative, with `/`, and never outside the
 * folder. Undefined for anything else, such as an absolute path or one that leaves the folder.
 */
export function relativePath(fileName: string): string | undefined {
  if (!path.test(fileName)) return undefined;
  const parts = fileName.replaceAll("\\", "/").split("/");
  if (parts[0] === "" || parts[0]?.startsWith("~")) return undefined;
  const kept = parts.filter((part) => part !== "." && part !== "");
  return kept.length === 0 || kept.includes("..") ? undefined : kept.join("/");
}

/** Whether `info`'s first word is a path rather than a language such as `c++` or `objective-c`. */
function isPath(word: string): boolean {
  return isFileName(word);
}

function extensionOf(fileName: string): string | undefined {
  return /\.([A-Za-z0-9]+)$/.exec(fileName)?.[1];
}
/** The VS Code languages that fence words refer to; other words are VS Code's own. */
const languageIds: ReadonlyMap<string, string> = new Map(
  Object.entries({
    bat: "bat",
    cmd: "bat",
    "c++": "cpp",
    cc: "cpp",
    hpp: "cpp",
    h: "c",
    cs: "csharp",
    "c#": "csharp",
    docker: "dockerfile",
    golang: "go",
    htm: "html",
    js: "javascript",
    mjs: "javascript",
    cjs: "javascript",
    node: "javascript",
    jsx: "javascriptreact",
    kt: "kotlin",
    make: "makefile",
    md: "markdown",
    objc: "objective-c",
    pl: "perl",
    ps1: "powershell",
    pwsh: "powershell",
    py: "python",
    python3: "python",
    rb: "ruby",
    rs: "rust",
    bash: "shellscript",
    sh: "shellscript",
    shell: "shellscript",
    zsh: "shellscript",
    ksh: "shellscript",
    fish: "shellscript",
    console: "shellscript",
    shellsession: "shellscript",
    terminal: "shellscript",
    ts: "typescript",
    mts: "typescript",
    cts: "typescript",
    tsx: "typescriptreact",
    tex: "latex",
    text: "plaintext",
    txt: "plaintext",
    plain: "plaintext",
    yml: "yaml",
  }),
);

const shells: ReadonlySet<string> = new Set([
  ...["bash", "sh", "shell", "zsh", "ksh", "fish", "console", "shellsession", "terminal", "shellscript"],
  ...["powershell", "pwsh", "ps1", "bat", "cmd", "batch"],
]);

/**
 * The VS Code language ID for the word of a fence; undefined if VS Code doesn't have it (`known` are all that it has).
 */
export function languageId(language: string | undefined, known: readonly string[]): string | undefined {
  const word = (language ?? "").toLowerCase();
  const id = languageIds.get(word) ?? word;
  return known.includes(id) ? id : undefined;
}

/** Whether a block in this language is meant to be typed into a terminal. */
export function isShellLanguage(language: string): boolean {
  return shells.has(language.toLowerCase());
}

/** What can be done with a code block besides copying it. */
export const codeActions = ["insert", "newFile", "apply", "run"] as const;
