import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { FolderRules } from "../../../../src/core/compose/context/excludeRules.ts";

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
  const folderOf = (path: string): string => (dirname(path) === "." ? "" : dirname(path));
  const rulesOf = (folder: string): FolderRules => {
    const name = join(folder, ".gitignore");
    const above = folder === "" ? new FolderRules("") : rulesOf(folderOf(folder));
    return new FolderRules(files[name] ?? "", folder, above);
  };
  return paths.filter((path) => rulesOf(folderOf(path)).ignores(path));
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

  it("ignores letter case, as Git does on Windows and macOS", () => {
    const rules = new FolderRules("Build/\n*.LOG\n");
    assert.deepEqual(
      ["build/x", "a.log", "A.Log", "a.lo"].map((path) => rules.ignores(path)),
      [true, true, true, false],
    );
  });

  it("takes the names of folders literally", () => {
    for (const folder of ["a*", "[b]", "!c", "#d", "e f ", "g?", "h\\i"]) {
      const rules = new FolderRules("x\n/y\n!x.z\n", folder, new FolderRules(""));
      for (const path of ["x", "sub/x", "y"])
        assert.ok(rules.ignores(`${folder}/${path}`), `${folder}/${path}`);
      for (const path of ["sub/y", "z"]) assert.ok(!rules.ignores(`${folder}/${path}`), `${folder}/${path}`);
      assert.ok(!rules.ignores("a/x"));
    }
  });

  it("ignores more than a rule says if it has too many stars, and doesn't include anything again for one", () => {
    const stars = "**/a/".repeat(7);
    const rules = new FolderRules(`docs/${stars}x\nsrc/a*b*c*d*e\n*.log\n!${stars}keep.log\n`);
    for (const path of ["docs/one", "docs/a/two", "src/abcdf", "a/a/a/a/a/a/a/keep.log"])
      assert.ok(rules.ignores(path), path);
    assert.ok(!rules.ignores("lib/one"));
    assert.ok(!new FolderRules(`${"**/".repeat(50)}x`).ignores("y"));
    assert.ok(new FolderRules(`${"**/".repeat(50)}x`).ignores("a/b/x"));
  });

  it("counts everything as ignored if the file is too large to be read, or the path too deep", () => {
    assert.ok(new FolderRules("# comment\n".repeat(30_000)).ignores("a"));
    assert.ok(!new FolderRules("# comment\n".repeat(20_000)).ignores("a"));
    assert.ok(new FolderRules("").ignores(`${"a/".repeat(40)}b`));
    assert.ok(!new FolderRules("").ignores(`${"a/".repeat(20)}b`));
  });

  // Without bounds, some of these take years.
  const hostile: Readonly<Record<string, readonly [rule: string, path: string, isIgnored: boolean]>> = {
    "any number of stars in a name": [`${"*a".repeat(50)}b`, "a".repeat(255), true],
    "as many stars in a name as are read": ["*a*a*ab", "a".repeat(255), false],
    "any number of stars for folders": [`a/${"**/a/".repeat(20)}x`, `${"a/".repeat(30)}z`, true],
    "as many stars for folders as are read": [`${"**/a/".repeat(6)}x`, `${"a/".repeat(30)}z`, false],
    "both kinds of stars": ["**/*a*a/**/*a*x", `${`${"a".repeat(200)}/`.repeat(30)}z`, false],
    "folders at any depth": [`${"**/a/".repeat(6)}x`, `${"a/".repeat(2_000)}z`, true],
  };
  for (const [what, [rule, path, isIgnored]] of Object.entries(hostile))
    it(`comes to an end for ${what}`, () => {
      assert.equal(new FolderRules(rule).ignores(path), isIgnored);
    });
});
