import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

describe("Dialogs that confirm a risk", () => {
  it("have no second button for VS Code's “Cancel”", () => {
    const folder = join(import.meta.dirname, "../../../src");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const found = files
      .filter((file) => file.endsWith(".ts"))
      .filter((file) => /\bdecline(?:: | = )\S*t\("Cancel"\)/.test(readFileSync(join(folder, file), "utf8")));
    assert.deepEqual(found, []);
  });
});
