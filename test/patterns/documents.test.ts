import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { basename } from "node:path";

const documents = ["README.md", "src/README.md", "test/README.md", ".github/CONTRIBUTING.md"];

describe("Documents for contributors", () => {
  const names = new Set(
    ["src", "test"]
      .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: "utf8" }))
      .map((path) => basename(path)),
  );

  for (const document of documents)
    it(`name only source files that exist: ${document}`, () => {
      const named = [...readFileSync(document, "utf8").matchAll(/`([\w./-]+\.(?:ts|css))`/g)].map(
        ([, path = ""]) => path,
      );
      const missing = named.filter((path) =>
        /^(?:src|test)\//.test(path) ? !existsSync(path) : !names.has(basename(path)),
      );
      assert.deepEqual(missing, []);
    });
});
