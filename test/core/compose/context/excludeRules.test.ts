import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  ignoreFolders,
  isGitIgnored,
  parseGitIgnore,
} from "../../../../src/core/compose/context/excludeRules.ts";

const paths = [
  "a.log",
  "src/a.log",
  "src/keep.log",
  "dist/x.js",
  "src/dist/y.js",
  "build",
  "src/build/z.js",
  "docs/api/one.md",
  "docs/deep/er/two.md",
  "a b.txt",
  "x1.tmp",
  "xa.tmp",
  "#notes",
  "!bang",
  "deep/a/b/c.bin",
  "deep/c.bin",
  "sub/inner.txt",
  "sub/other.txt",
  "star*name",
];

/** The paths that Git itself ignores. */
function askGit(files: Readonly<Record<string, string>>): readonly string[] {
  const folder = mkdtempSync(join(tmpdir(), "ignore-"));
  try {
    execFileSync("git", ["init", "-q"], { cwd: folder });
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    for (const path of paths) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), "");
    }
    const shown = execFileSync("git", ["ls-files", "-z", "--others", "--exclude-standard"], { cwd: folder });
    const kept = new Set(shown.toString().split("\0"));
    return paths.filter((path) => !kept.has(path));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function askOurs(files: Readonly<Record<string, string>>): readonly string[] {
  const parsed = Object.entries(files).map(([name, text]) => ({
    folder: dirname(name) === "." ? "" : dirname(name),
    rules: parseGitIgnore(text),
  }));
  return paths.filter((path) => isGitIgnored(path, parsed));
}

describe("Matching .gitignore rules", () => {
  const cases: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "names and wildcards": { ".gitignore": "*.log\n*.tmp\n# comment\n\nbuild\n" },
    "a name that comes back": { ".gitignore": "*.log\n!keep.log\n" },
    "folders alone": { ".gitignore": "build/\ndist/\n" },
    "anchored paths": { ".gitignore": "/dist\nsrc/dist/\n/a.log\n" },
    "nothing back below an ignored folder": { ".gitignore": "src/\n!src/keep.log\n" },
    "any depth": { ".gitignore": "docs/**/*.md\n**/c.bin\n" },
    "everything inside": { ".gitignore": "deep/**\n" },
    "sets and single letters": { ".gitignore": "x[0-9].tmp\na?b.txt\n" },
    "sets that exclude": { ".gitignore": "x[!0-9].tmp\n" },
    "letters that are escaped": { ".gitignore": "\\#notes\n\\!bang\nstar\\*name\n" },
    "spaces at the end": { ".gitignore": "a b.txt   \nbuild\\ \n" },
    "deeper files over higher ones": { ".gitignore": "*.txt\n", "sub/.gitignore": "!inner.txt\n/c.bin\n" },
    "a middle slash": { ".gitignore": "docs/api\na/b\n" },
    "classes by name": { ".gitignore": "x[[:digit:]].tmp\n[[:punct:]]notes\n" },
    "sets with a bracket, and upside down": { ".gitignore": "x[]1].tmp\nx[z-a]a.tmp\n[!]a]bang\n" },
    "sets without an end": { ".gitignore": "x[1.tmp\n[[:digit]\n" },
    "a set that holds a slash": { ".gitignore": "sub[/]inner.txt\nsub[!x]other.txt\n" },
    "more than two stars": { ".gitignore": "***/c.bin\ndocs/***/two.md\n" },
    "folders at any depth below": { ".gitignore": "docs/**/\n" },
    "an escape without a letter": { ".gitignore": "build\\\n\\\n/\n" },
    "a mark at the start of the file": { ".gitignore": "\ufeff*.log\n" },
    "lines of Windows": { ".gitignore": "*.log\r\ndist/\r\n" },
  };
  for (const [what, files] of Object.entries(cases)) {
    it(`gives the same result as Git: ${what}`, () => {
      const expected = askGit(files);
      assert.deepEqual(askOurs(files), expected);
    });
  }

  it("is fast, however many stars the pattern has", () => {
    const rules = parseGitIgnore(`${"*a".repeat(50)}b\n${"**/".repeat(50)}x\n`);
    assert.equal(isGitIgnored("a".repeat(5_000), [{ folder: "", rules }]), false);
    assert.equal(isGitIgnored(`${"y/".repeat(200)}z`, [{ folder: "", rules }]), false);
    // The most popular library for this takes a minute here, because it turns every line into a regular expression.
    const deep = parseGitIgnore(`a/${"**/a/".repeat(20)}x\n`);
    assert.equal(isGitIgnored(`${"a/".repeat(400)}z`, [{ folder: "", rules: deep }]), false);
  });

  it("checks every parent folder", () => {
    assert.deepEqual(ignoreFolders("a/b/c.ts"), ["", "a", "a/b"]);
    assert.deepEqual(ignoreFolders("c.ts"), [""]);
  });
});
