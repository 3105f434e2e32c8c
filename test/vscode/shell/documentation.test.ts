import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";
import { isRecord } from "../../../src/core/kernel/json.ts";

const root = new URL("../../../", import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, root), "utf8");

const pages = [
  "README.md",
  "src/README.md",
  "test/README.md",
  ".github/CONTRIBUTING.md",
  ".github/PULL_REQUEST_TEMPLATE.md",
  ".github/SECURITY.md",
  ".github/SUPPORT.md",
] as const;

/**
 * Paths and names of source files in backticks and in the nodes of diagrams. Paths that don't start with one of our
 * top-level folders are below `src` or `test`.
 */
function namedPaths(text: string): readonly string[] {
  const folders = ["src", "test"].flatMap((folder) => readdirSync(new URL(folder, root)));
  const inCode = [...text.matchAll(/`((?:[\w.-]+\/)+[\w.-]*)`/g)].map((match) => match[1] ?? "");
  const inDiagrams = [...text.matchAll(/\[((?:\w+\/)+\w+)[:\]]/g)].map((match) => match[1] ?? "");
  const isOurs = (path: string): boolean =>
    /^(?:src|test|\.github)\//.test(path) || folders.some((folder) => path.startsWith(`${folder}/`));
  const names = [...text.matchAll(/`([\w.-]+\.(?:ts|css))`/g)].map((match) => match[1] ?? "");
  return [...[...inCode, ...inDiagrams].filter(isOurs), ...names];
}

const fileNames: ReadonlySet<string> = new Set(
  ["src", "test", "media"]
    .flatMap((folder) => readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }))
    .map((path) => basename(path)),
);

/** As a name alone, or as a path, with or without the file extension, which diagrams omit. */
function exists(path: string): boolean {
  if (!path.includes("/")) return fileNames.has(path);
  const bases = ["", "src/", "test/"].map((folder) => `${folder}${path}`);
  return bases.some((base) => existsSync(new URL(base, root)) || existsSync(new URL(`${base}.ts`, root)));
}

describe("The documentation", () => {
  for (const page of pages) {
    it(`mentions only files and folders that exist: ${page}`, () => {
      assert.deepEqual(
        namedPaths(read(page)).filter((path) => !exists(path)),
        [],
      );
    });

    it(`links only to files that exist: ${page}`, () => {
      const links = [...read(page).matchAll(/\]\((?!https?:|command:)([^)#]+)\)/g)].map(
        (match) => match[1] ?? "",
      );
      const missing = links.filter((link) => !existsSync(new URL(link, new URL(page, root))));
      assert.deepEqual(missing, []);
    });
  }

  it("has at most 900 words for users", () => {
    const words = read("README.md")
      .split(/\s+/)
      .filter((word) => word !== "");
    assert.ok(words.length <= 900, `${words.length} words`);
  });

  it("gives a reason for each dependency", () => {
    const manifest: unknown = JSON.parse(read("package.json"));
    const dependencies = isRecord(manifest) ? manifest["dependencies"] : undefined;
    assert.ok(isRecord(dependencies));
    const text = read("README.md");
    assert.deepEqual(
      Object.keys(dependencies).filter((name) => !text.includes(name)),
      [],
    );
  });
});
