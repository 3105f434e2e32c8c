import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const serverFile = "src/core/servers/server.ts";
const tableFile = "src/core/servers/serverFacts.ts";
const uses = "test/core/servers/newFactUses.ts";

/** `Server` with one more fact. */
const server = readFileSync(join(root, serverFile), "utf8").replace(
  "  readonly region?:",
  "  readonly rack?: ServerFact | undefined;\n  readonly region?:",
);
/** The table with its entry. */
const table = readFileSync(join(root, tableFile), "utf8").replace(
  "  region: {\n",
  `  rack: {
    label: () => t("Rack"),
    kind: "place",
    fields: ["rack", "rackname"],
    inside: ["placement"],
    synonyms: ["cabinet"],
    shown: "row",
    column: "usual",
    model: "list",
    input: "Only servers in this rack.",
    group: { icon: "server", none: () => t("Unknown rack") },
  },
  region: {\n`,
);

const sources = new Map<string, ts.SourceFile>();

/** The mistakes in the files that know servers, with these texts in place of those of the files. */
function mistakes(changed: Readonly<Record<string, string>>, isChecked: (file: string) => boolean) {
  const { config } = ts.readConfigFile(join(root, "src/core/tsconfig.json"), (name) => ts.sys.readFile(name));
  const { options, fileNames } = ts.parseJsonConfigFileContent(config, ts.sys, join(root, "src/core"));
  const host = ts.createCompilerHost(options);
  const texts = new Map(Object.entries(changed).map(([name, text]) => [resolve(root, name), text]));
  const getSourceFile: ts.CompilerHost["getSourceFile"] = (name, version) => {
    const text = texts.get(resolve(name)) ?? ts.sys.readFile(name) ?? "";
    const known = sources.get(name);
    const file = known?.text === text ? known : ts.createSourceFile(name, text, version);
    sources.set(name, file);
    return file;
  };
  const rootNames = fileNames.filter((name) => /\/(?:servers|agentTools)\//.test(name));
  const program = ts.createProgram({ rootNames, options, host: { ...host, getSourceFile } });
  return rootNames
    .filter(isChecked)
    .flatMap((name) => program.getSemanticDiagnostics(program.getSourceFile(name)))
    .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "));
}

describe("A new fact of servers", () => {
  it("doesn't compile without an entry in the table, and needs nothing else", function () {
    this.timeout(60_000);
    const missing = mistakes({ [serverFile]: server }, (file) => file.endsWith(tableFile));
    assert.match(missing.join("\n"), /'rack' is missing/);
    assert.deepEqual(
      mistakes({ [serverFile]: server, [tableFile]: table }, () => true),
      [],
    );
  });

  it("is read, shown, filtered, sorted, grouped, mapped, stored, and shared once it has an entry", function () {
    this.timeout(60_000);
    mkdirSync(join(root, "out"), { recursive: true });
    const folder = mkdtempSync(join(root, "out/newFact-"));
    try {
      for (const each of [
        "src/core",
        "src/gateway",
        "test/support/readServerList.ts",
        "test/support/serverSections.ts",
        uses,
      ])
        cpSync(join(root, each), join(folder, each), { recursive: true });
      writeFileSync(join(folder, serverFile), server);
      writeFileSync(join(folder, tableFile), table);
      const printed = execFileSync(process.execPath, [join(folder, uses)], { encoding: "utf8" });
      assert.deepEqual(JSON.parse(printed), {
        row: "Running (on) · r-10",
        spoken: "n-0, Status: Running (on), Rack: r-10",
        details: "| Rack | r\\-10 | rack\\_name |",
        isOther: false,
        cells: ["r-10", "r-9", ""],
        heading: "Rack",
        isColumn: true,
        filtered: [["n-1"], ["n-0"], ["n-0"], ["n-2"]],
        isCompleted: true,
        sorted: ["n-1", "n-0", "n-2"],
        groups: ["r-10", "r-9", "Unknown rack"],
        isInMenus: [true, true],
        model: "r-10",
        listed: [
          { profile: "Lab", id: "s-1", name: "n-1", status: "running", statusText: "on", rack: "r-9" },
        ],
        hasInput: true,
        mapped: [true, "r-7"],
        stored: "r-10",
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
