import assert from "node:assert/strict";
import ts from "typescript";
import { isTranslation, readModules, walk } from "./support/findSentences.ts";

/** Properties and attributes whose text is shown or announced to users. */
const shown = new Set([
  "aria-label",
  "aria-description",
  "aria-roledescription",
  "aria-valuetext",
  "ariaLabel",
  "ariaDescription",
  "title",
  "alt",
  "placeholder",
  "textContent",
  "innerText",
]);

/** VS Code functions whose texts are shown to users. */
const dialogs = /\.(?:show(?:Information|Warning|Error)Message|setStatusBarMessage)$/;

const isText = (node: ts.Node): boolean => ts.isStringLiteralLike(node) || ts.isTemplateExpression(node);

/** True for a literal that contains a word, unlike symbols, numbers and combinations of values. */
function hasWord(node: ts.Node): boolean {
  const literal = ts.isTemplateExpression(node)
    ? [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join(" ")
    : ts.isStringLiteralLike(node)
      ? node.text
      : "";
  return /\p{L}{2}/u.test(literal);
}

/** The expression whose text `node` makes visible, if there is one. */
function shownBy(node: ts.Node): ts.Expression | undefined {
  if (ts.isPropertyAssignment(node)) {
    const isShown = shown.has(node.name.getText().replace(/^["']|["']$/g, ""));
    return isShown ? node.initializer : undefined;
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken) {
    return ts.isPropertyAccessExpression(node.left) && shown.has(node.left.name.text)
      ? node.right
      : undefined;
  }
  if (!ts.isCallExpression(node)) return undefined;
  const [first, second] = node.arguments;
  if (node.expression.getText().endsWith(".setAttribute")) {
    return first !== undefined && ts.isStringLiteralLike(first) && shown.has(first.text) ? second : undefined;
  }
  return dialogs.test(node.expression.getText()) ? first : undefined;
}

/** The literals in an expression that are shown unchanged: not inside a translation or another call. */
function literalsOf(node: ts.Expression): readonly ts.Node[] {
  if (isText(node)) return hasWord(node) ? [node] : [];
  if (isTranslation(node)) return [];
  if (ts.isParenthesizedExpression(node)) return literalsOf(node.expression);
  if (ts.isConditionalExpression(node)) return [...literalsOf(node.whenTrue), ...literalsOf(node.whenFalse)];
  if (!ts.isBinaryExpression(node)) return [];
  const joins = [
    ts.SyntaxKind.PlusToken,
    ts.SyntaxKind.QuestionQuestionToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.AmpersandAmpersandToken,
  ];
  return joins.includes(node.operatorToken.kind) ? [...literalsOf(node.left), ...literalsOf(node.right)] : [];
}

describe("Displayed text", () => {
  for (const folder of ["webview/", "vscode/"]) {
    it(`contains no untranslated literal in ${folder}`, () => {
      const found: string[] = [];
      for (const [path, module] of readModules(folder)) {
        walk(module, (node) => {
          const text = shownBy(node);
          if (text === undefined) return;
          found.push(...literalsOf(text).map((literal) => `${path}: ${literal.getText()}`));
        });
      }
      assert.deepEqual(found, []);
    });
  }

  it("is recognized by the words in it", () => {
    const module = ts.createSourceFile(
      "page.ts",
      `create("a", { "aria-label": "Copy", title: t("Copy"), class: "link" }); x.textContent = open ? "Less" : t("More"); y.title = \`\${a} × \${b}\`;`,
      ts.ScriptTarget.Latest,
      true,
    );
    const found: string[] = [];
    walk(module, (node) => {
      const text = shownBy(node);
      if (text !== undefined) found.push(...literalsOf(text).map((literal) => literal.getText()));
    });
    assert.deepEqual(found, ['"Copy"', '"Less"']);
  });
});
