import assert from "node:assert/strict";
import {
  excludeGlobs,
  excludeRules,
  joinGlobs,
  fileGlob,
} from "../../../../src/core/compose/context/excludeRules.ts";
import { fuzzyFilter, fuzzyScore } from "../../../../src/core/compose/context/fuzzyMatch.ts";

describe("A file search", () => {
  const rank = (query: string, ...paths: string[]) => fuzzyFilter(query, paths, (path) => path);

  it("matches only names that contain the typed letters in order", () => {
    assert.deepEqual(rank("cmpsr", "src/composer.ts", "src/rest.ts"), ["src/composer.ts"]);
    assert.equal(fuzzyScore("xyz", "abc"), undefined);
    assert.equal(fuzzyScore("", "abc"), 0);
  });

  it("ranks a match in the name above one in the path, and its start above its middle", () => {
    const paths = ["app/readme.md", "src/myapp.ts", "src/app.ts", "a/p/p.ts"];
    assert.deepEqual(rank("app", ...paths), ["src/app.ts", "src/myapp.ts", "app/readme.md", "a/p/p.ts"]);
  });

  it("ignores letter case and prefers matches at the start of words", () => {
    assert.deepEqual(rank("gi", "src/merging.ts", "src/GitIgnore.ts")[0], "src/GitIgnore.ts");
    assert.deepEqual(rank("cp", "src/chatPanel.ts", "src/scope.ts")[0], "src/chatPanel.ts");
  });

  it("ignores letter case and crosses folders in the glob for VS Code", () => {
    assert.equal(fileGlob(""), "**/*");
    assert.equal(fileGlob("a"), "**/*[aA]*");
    assert.equal(fileGlob("ab"), "**/{*[aA]*[bB]*,*[aA]*/**/*[bB]*}");
    assert.equal(fileGlob("a/b"), "**/*[aA]*/**/*[bB]*");
    assert.equal(fileGlob("1.é"), "**/{*1*.*[éÉ]*,*1*/**/*.*[éÉ]*,*1*.*/**/*[éÉ]*}");
  });

  it("replaces characters that have a meaning in a glob with a wildcard", () => {
    assert.equal(fileGlob("*"), "**/*?*");
    assert.ok(!/[{}]/.test(fileGlob("a{b}c,d!e(f)ghijklmnop")));
  });

  it("excludes what the settings exclude", () => {
    const globs = excludeGlobs(
      { "**/.git": true, "**/*.js": { when: "$(basename).ts" }, "**/off": false },
      { "**/*.{map,min.js}": true, "/out": true },
    );
    assert.deepEqual(globs, ["**/.git", "**/*.{map,min.js}", "/out"]);
    assert.equal(joinGlobs(globs), "{**/.git,**/*.{map,min.js},/out}");
    assert.equal(joinGlobs([]), undefined);
    const rules = excludeRules(globs);
    const excluded = [
      ".git/config",
      "a/.git/x",
      "a/b.map",
      "c.min.js",
      "out/x",
      "a/out/x",
      "off",
      "a.js",
      "A.MAP",
    ];
    assert.deepEqual(
      excluded.filter((path) => rules.ignores(path)),
      [".git/config", "a/.git/x", "a/b.map", "c.min.js", "out/x"],
    );
  });

  it("lets a later setting re-include what an earlier one excludes", () => {
    assert.deepEqual(excludeGlobs({ "**/a": true }, { "**/a": false }, undefined, 7), []);
  });

  it("handles any number of braces", () => {
    const rules = excludeRules(["{a,b}".repeat(40), "{".repeat(1_000), "{c,d}"]);
    assert.ok(rules.ignores("c") && rules.ignores("d") && !rules.ignores("a"));
  });
});
