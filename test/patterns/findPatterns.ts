import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import ts from "typescript";

/** A regular expression in the source, and where it is. */
export interface FoundPattern {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** The constants that are known while a file is being read. */
type Constants = ReadonlyMap<string, ts.Expression>;

/** All regular expressions in the files below `folder`: literals, and `new RegExp` with constant text. */
export function findPatterns(root: string, folder: string): readonly FoundPattern[] {
  return globSync(`${folder}/**/*.ts`, { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted()
    .flatMap((file) => patternsOf(file, readFileSync(join(root, file), "utf8")));
}

/** The regular expressions in a file's text. */
export function patternsOf(file: string, text: string): readonly FoundPattern[] {
  const tree = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const constants = constantsOf(tree);
  const found: FoundPattern[] = [];
  const visit = (node: ts.Node): void => {
    const pattern = patternOf(node, constants);
    if (pattern !== undefined) {
      const line = tree.getLineAndCharacterOfPosition(node.getStart()).line + 1;
      found.push({ file, line, ...pattern });
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function patternOf(node: ts.Node, constants: Constants): Pick<FoundPattern, "source" | "flags"> | undefined {
  if (ts.isRegularExpressionLiteral(node)) {
    const end = node.text.lastIndexOf("/");
    return { source: node.text.slice(1, end), flags: node.text.slice(end + 1) };
  }
  const isConstructed =
    (ts.isNewExpression(node) || ts.isCallExpression(node)) && node.expression.getText() === "RegExp";
  if (!isConstructed) return undefined;
  const [source, flags] = (node.arguments ?? []).map((argument) => fold(argument, constants));
  return source === undefined ? undefined : { source, flags: flags ?? "" };
}

/** The initializer of each `const` in the file, by name. */
function constantsOf(tree: ts.SourceFile): Constants {
  const constants = new Map<string, ts.Expression>();
  const visit = (node: ts.Node): void => {
    if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
      if ((node.parent.flags & ts.NodeFlags.Const) !== 0) constants.set(node.name.text, node.initializer);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return constants;
}

/** The constant text of an expression; undefined if it isn't constant. */
function fold(node: ts.Expression, constants: Constants): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isIdentifier(node)) {
    const constant = constants.get(node.text);
    return constant === undefined ? undefined : fold(constant, constants);
  }
  if (ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken)
    return concat([fold(node.left, constants), fold(node.right, constants)]);
  if (ts.isTemplateExpression(node)) return foldTemplate(node, constants, false);
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === "String.raw")
    return ts.isTemplateExpression(node.template)
      ? foldTemplate(node.template, constants, true)
      : (node.template.rawText ?? node.template.text);
  if (ts.isCallExpression(node)) return foldJoin(node, constants);
  return undefined;
}

function foldTemplate(node: ts.TemplateExpression, constants: Constants, isRaw: boolean): string | undefined {
  const text = (part: ts.TemplateLiteralLikeNode): string =>
    isRaw ? (part.rawText ?? part.text) : part.text;
  return concat([
    text(node.head),
    ...node.templateSpans.flatMap((span) => [fold(span.expression, constants), text(span.literal)]),
  ]);
}

/** `list.join(separator)` with constant texts. */
function foldJoin(node: ts.CallExpression, constants: Constants): string | undefined {
  const { expression } = node;
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== "join") return undefined;
  const named = ts.isIdentifier(expression.expression)
    ? constants.get(expression.expression.text)
    : undefined;
  const list = named ?? expression.expression;
  const [separator] = node.arguments;
  if (!ts.isArrayLiteralExpression(list) || separator === undefined) return undefined;
  const parts = list.elements.map((element) => fold(element, constants));
  const between = fold(separator, constants);
  if (between === undefined || parts.includes(undefined)) return undefined;
  return parts.join(between);
}

function concat(parts: readonly (string | undefined)[]): string | undefined {
  return parts.includes(undefined) ? undefined : parts.join("");
}
