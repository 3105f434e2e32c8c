import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Used by VS Code, or instead of a library's function of the same name. */
const usedElsewhere = new Set(["activate", "deactivate", "decodeHTMLStrict"]);

interface Export {
  readonly name: string;
  readonly file: string;
  readonly isDocumented: boolean;
}

interface Module {
  readonly exported: readonly Export[];
  readonly words: ReadonlySet<string>;
}

/** Every source and test file, with what the sources export. */
function readModules(): readonly Module[] {
  return globSync("{src,test}/**/*.{ts,js}", { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !file.startsWith("test/fixtures/") && !file.endsWith(".d.ts"))
    .toSorted()
    .map((file) => {
      const text = readFileSync(`${root}${file}`, "utf8");
      const exported = file.startsWith("src/") ? exportsOf(file, text) : [];
      return { exported, words: new Set(text.match(/[\w$]+/g)) };
    });
}

/** What a file declares and exports, once per name: one signature of an overloaded function has the comment. */
function exportsOf(file: string, text: string): readonly Export[] {
  const found = new Map<string, Export>();
  for (const statement of ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true).statements) {
    const modifiers = ts.canHaveModifiers(statement) ? ts.getModifiers(statement) : undefined;
    if (modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) !== true) continue;
    const declarations = ts.isVariableStatement(statement)
      ? statement.declarationList.declarations
      : isNamed(statement)
        ? [statement]
        : [];
    for (const { name } of declarations) {
      if (name === undefined || !ts.isIdentifier(name)) continue;
      const isDocumented =
        found.get(name.text)?.isDocumented === true || ts.getJSDocCommentsAndTags(statement).length > 0;
      found.set(name.text, { name: name.text, file, isDocumented });
    }
  }
  return [...found.values()];
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

function label({ name, file }: Export): string {
  return `${file}: ${name}`;
}

describe("Exports", () => {
  let modules: readonly Module[] = [];
  let all: readonly Export[] = [];
  before(() => {
    modules = readModules();
    all = modules.flatMap(({ exported }) => exported);
  });

  it("are found in the sources", () =>
    assert.ok(all.length > 1_000, `only ${all.length} exports were found`));

  it("have one meaning each: no two files export the same name", () => {
    const first = new Map(all.toReversed().map((one) => [one.name, one]));
    assert.deepEqual(all.filter((one) => first.get(one.name) !== one).map(label), []);
  });

  it("are all documented", () =>
    assert.deepEqual(all.filter(({ isDocumented }) => !isDocumented).map(label), []));

  it("are all named in another file", () => {
    const files = new Map<string, number>();
    for (const { words } of modules) for (const word of words) files.set(word, (files.get(word) ?? 0) + 1);
    const unused = all.filter(({ name }) => !usedElsewhere.has(name) && files.get(name) === 1);
    assert.deepEqual(unused.map(label), []);
  });
});
