import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const source = fileURLToPath(new URL("../../../src/", import.meta.url));
const functions = new Set(["t", "l10n.t", "vscode.l10n.t"]);

/** The tree of every module of src, with its path there. */
export function readModules(folder = ""): readonly (readonly [path: string, module: ts.SourceFile])[] {
  return readdirSync(`${source}${folder}`, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => {
      const path = `${folder}${file}`;
      const text = readFileSync(`${source}${path}`, "utf8");
      return [path, ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)] as const;
    });
}

/** Calls `visit` with each node below `node`. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  ts.forEachChild(node, (child) => {
    visit(child);
    walk(child, visit);
  });
}

/** True for a call that translates a sentence into the user's language. */
export function isTranslation(node: ts.Node): node is ts.CallExpression {
  return ts.isCallExpression(node) && functions.has(node.expression.getText());
}

/** Every translatable sentence in the code. Translators only get literal arguments of the call. */
export function findSentences(): readonly string[] {
  const found = new Set<string>();
  for (const [path, module] of readModules()) {
    walk(module, (node) => {
      if (!isTranslation(node)) return;
      const sentence = node.arguments[0];
      assert.ok(sentence !== undefined && ts.isStringLiteralLike(sentence), `${path}: ${node.getText()}`);
      found.add(sentence.text);
    });
  }
  return [...found];
}
