import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const document = readFileSync("src/README.md", "utf8");

/** The cells of each row of the table in the section `title`, without its header. */
function rowsOf(title: string): readonly (readonly string[])[] {
  const [, section = ""] = document.split(`\n## ${title}\n`);
  const [own = ""] = section.split(/\n## /);
  const rows = own.split("\n").filter((line) => line.startsWith("|"));
  return rows.slice(2).map((row) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => cell.trim().replaceAll("\\|", "|")),
  );
}

describe("The budgets in src/README.md", () => {
  const budgets = rowsOf("Budgets");

  it("limit lines, settings, commands, formats on disk, and dependencies", () => {
    assert.ok(budgets.length >= 6, `${budgets.length} budgets`);
  });

  for (const [what = "", budget = "", command = ""] of budgets)
    it(`are kept: ${what}, at most ${budget}`, () => {
      const [, program = ""] = /^`(.+)`$/.exec(command) ?? [];
      assert.notEqual(program, "", "The last cell must be the command that counts.");
      const counted = Number(execFileSync("sh", ["-c", program], { encoding: "utf8" }));
      const limit = Number(budget.replaceAll(",", ""));
      assert.ok(counted > 0 && counted <= limit, `${counted} of ${limit}`);
    });
});

describe("The files that are stored on disk", () => {
  /** Functions of Node that create a file with content or change it. */
  const writing = /\b(?:writeFile|appendFile|write|copyFile|cp|createWriteStream)(?:Sync)?\b/;
  const imports = /import \{([^}]*)\} from "node:fs(?:\/promises)?"/g;
  /** What the user saves somewhere isn't ours. */
  const saved = ["processes/library/writeArchive.ts", "processes/servers/downloadFiles.ts"];

  it("are described in src/README.md, with the module that owns each format", () => {
    const owners = new Set(
      rowsOf("Files on disk").flatMap(([, owner = ""]) =>
        [...owner.matchAll(/`([^`]+)`/g)].map(([, path = ""]) => path),
      ),
    );
    const writers = readdirSync("src", { recursive: true, encoding: "utf8" })
      .map((path) => path.replaceAll("\\", "/"))
      .filter((path) => path.endsWith(".ts"))
      .filter((path) =>
        [...readFileSync(join("src", path), "utf8").matchAll(imports)].some(([, names = ""]) =>
          writing.test(names),
        ),
      );
    assert.ok(writers.length > 5, "Modules that write files are no longer found.");
    assert.deepEqual(
      writers.filter((path) => !owners.has(path) && !saved.includes(path)),
      [],
    );
  });
});
