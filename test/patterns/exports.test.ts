import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Used by VS Code, or instead of a library's function of the same name. */
const usedElsewhere = new Set(["activate", "deactivate", "decodeHTMLStrict"]);

interface Module {
  readonly file: string;
  readonly exported: ReadonlySet<string>;
  readonly words: ReadonlySet<string>;
}

/** Every source and test file. */
function readModules(): readonly Module[] {
  return globSync("{src,test}/**/*.{ts,js}", { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !file.startsWith("test/fixtures/") && !file.endsWith(".d.ts"))
    .toSorted()
    .map((file) => {
      const text = readFileSync(`${root}${file}`, "utf8");
      const exported = new Set(file.startsWith("src/") ? exportsOf(file, text) : []);
      return { file, exported, words: new Set(text.match(/[\w$]+/g)) };
    });
}

/** The names that a file declares and exports. */
function exportsOf(file: string, text: string): readonly string[] {
  return ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements.flatMap((statement) => {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) return [];
    const declarations = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : isNamed(statement)
        ? [statement]
        : [];
    return declarations.flatMap(({ name }) =>
      name !== undefined && ts.isIdentifier(name) ? [name.text] : [],
    );
  });
}

function isNamed(
  statement: ts.Statement,
): statement is
  ts.FunctionDeclaration | ts.ClassDeclaration | ts.InterfaceDeclaration | ts.TypeAliasDeclaration {
  return (
    ts.isFunctionDeclaration(statement) ||
    ts.isClassDeclaration(statement) ||
    ts.isInterfaceDeclaration(statement) ||
    ts.isTypeAliasDeclaration(statement)
  );
}

describe("Exports", () => {
  let modules: readonly Module[] = [];
  before(() => (modules = readModules()));

  it("are found in the sources", () => {
    const count = modules.reduce((sum, { exported }) => sum + exported.size, 0);
    assert.ok(count > 1_000, `only ${count} exports were found`);
  });

  it("have one meaning each: no two files export the same name", () => {
    const first = new Map<string, string>();
    const shared = modules.flatMap(({ file, exported }) =>
      [...exported].flatMap((name) => {
        const other = first.get(name);
        first.set(name, file);
        return other === undefined ? [] : [`${name}: ${other}, ${file}`];
      }),
    );
    assert.deepEqual(shared, []);
  });

  it("are all named in another file", () => {
    const files = new Map<string, number>();
    for (const { words } of modules) for (const word of words) files.set(word, (files.get(word) ?? 0) + 1);
    const unused = modules.flatMap(({ file, exported }) =>
      [...exported]
        .filter((name) => !usedElsewhere.has(name) && files.get(name) === 1)
        .map((name) => `${file}: ${name}`),
    );
    assert.deepEqual(unused, []);
  });
});
