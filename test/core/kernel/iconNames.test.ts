import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { iconNames } from "../../../src/core/kernel/iconNames.ts";

describe("The icons on the pages", () => {
  it("are all in VS Code's icon font, each listed once", () => {
    const styles = readFileSync(
      new URL("../../../node_modules/@vscode/codicons/dist/codicon.css", import.meta.url),
      "utf8",
    );
    assert.deepEqual(
      iconNames.filter((name) => !styles.includes(`.codicon-${name}:before`)),
      [],
    );
    assert.equal(new Set(iconNames).size, iconNames.length);
  });
});
