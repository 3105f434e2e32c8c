import assert from "node:assert/strict";
import { encodePath, isFileName, parseFileLink } from "../../../src/core/kernel/fileLink.ts";

describe("The target of a link to a file", () => {
  const files: readonly (readonly [string, string, string?])[] = [
    ["src/a.ts", "src/a.ts"],
    ["src/a.ts#L1", "src/a.ts", "1-1"],
    ["src/a.ts#L3-L5", "src/a.ts", "3-5"],
    ["src/a.ts#L3C2-L5C9", "src/a.ts", "3-5"],
    ["./a.ts:12:3", "./a.ts", "12-12"],
    ["a.ts:7", "a.ts", "7-7"],
    ["Stored%20Procedures/x.sql", "Stored Procedures/x.sql"],
    ["/home/me/ws/src/a.ts", "/home/me/ws/src/a.ts"],
    ["c:%5Csrc%5Ca.ts#1-2", "c:\\src\\a.ts", "1-2"],
    ["C:/src/a.ts", "C:/src/a.ts"],
    ["file:///home/me/a.ts#L1", "/home/me/a.ts", "1-1"],
    ["file:///C:/src/a%20b.ts", "C:/src/a b.ts"],
    ["file://localhost/tmp/a.txt", "/tmp/a.txt"],
    ["../shared/notes.md#usage", "../shared/notes.md"],
    ["docs/100%.md", "docs/100%.md"],
    ["src/", "src/"],
    ["a/b#L9-3", "a/b", "9-9"],
  ];
  for (const [href, path, lines] of files)
    it(`is ${path}${lines === undefined ? "" : ` at ${lines}`} for ${href}`, () => {
      const link = parseFileLink(href);
      assert.equal(link?.path, path);
      assert.equal(link?.lines && `${link.lines.first}-${link.lines.last}`, lines);
    });

  const others = [
    "https://example.com/a.ts",
    "javascript:alert(1)//a.ts",
    "command:workbench.action.files.openFile",
    "vscode-file:///a.ts",
    "data:text/html,a/b.ts",
    "//server/share/a.ts",
    "\\\\server\\share\\a.ts",
    "%5C%5Cserver%5Cshare%5Ca.ts",
    "/%2Fserver/share/a.ts",
    "file://server/share/a.ts",
    "file:////server/share/a.ts",
    "file:///%5C%5Cserver/a.ts",
    "file:///%2Fserver/a.ts",
    "#section",
    "?a=b/c.ts",
    "word",
    "e.g.",
    "C:a.ts",
    "a\u0000/b.ts",
    `${"a/".repeat(600)}b.ts`,
    "",
  ];
  for (const href of others)
    it(`isn't read from ${JSON.stringify(href).slice(0, 60)}`, () => {
      assert.equal(parseFileLink(href), undefined);
    });
});

describe("Code that names a file", () => {
  for (const code of ["src/a.ts", "src/a.ts:1", "a.ts:12", "C:\\src\\a.ts:3", "./x/y.py", "docs/100%.md"])
    it(`is ${code}`, () => {
      assert.ok(isFileName(code));
      assert.equal(parseFileLink(encodePath(code))?.path, code.replace(/:\d+$/, ""));
    });

  const others = [
    "a.ts",
    "a/b",
    "and/or",
    "1/2.5",
    "application/vnd.x+json",
    "x.y",
    "foo()/a.ts",
    "@scope/pkg.js",
    "localhost:80",
    "127.0.0.1:8080",
    "10:30",
    "src/*.ts",
  ];
  for (const code of others)
    it(`isn't ${code}`, () => {
      assert.ok(!isFileName(code));
    });
});
