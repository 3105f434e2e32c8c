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
