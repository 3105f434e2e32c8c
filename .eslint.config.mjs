import tseslint from "typescript-eslint";
import typescript from "typescript";

/** Ambient names that belong to another floor; the type checker refuses most, this refuses the rest. */
const outsideCore = [
  "process",
  "Buffer",
  "setTimeout",
  "setInterval",
  "setImmediate",
  "fetch",
  "console",
  "document",
  "window",
];

/** Surfaces on which VS Code makes links, commands included, and icons of what stands in a text. */
const linkingCalls = [
  "showInformationMessage",
  "showWarningMessage",
  "showErrorMessage",
  "setStatusBarMessage",
  "withProgress",
  "showInputBox",
  "createInputBox",
  "showQuickPick",
];

const foreignText = "Foreign text can become a link that runs a command: ";

/** The number in a sentence would be the same in every language: `3000` instead of 3,000, 3.000, or 3 000. */
const formattedNumbers = {
  meta: { type: "problem", schema: [] },
  create(context) {
    const { parserServices } = context.sourceCode;
    const isNumber = (type) =>
      type.isUnion() ? type.types.some(isNumber) : (type.flags & typescript.TypeFlags.NumberLike) !== 0;
    const check = (call) => {
      for (const argument of call.arguments.slice(1)) {
        if (argument.type === "SpreadElement" || !isNumber(parserServices.getTypeAtLocation(argument)))
          continue;
        context.report({
          node: argument,
          message:
            "Pass a quantity through formatNumber. Use String only for names, such as ports and status codes, and for values that have to be typed in this form.",
        });
      }
    };
    return {
      "CallExpression[callee.name='t']": check,
      "CallExpression[callee.object.property.name='l10n'][callee.property.name='t']": check,
    };
  },
};

export default tseslint.config(
  { ignores: ["dist/", "out/", "node_modules/", ".vscode-test/", "test/fixtures/"] },
  ...tseslint.configs.recommended,
  {
    files: ["**/*.ts", "**/*.mjs", "**/*.js"],
    rules: {
      "@typescript-eslint/no-explicit-any": "error",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": ["error", { argsIgnorePattern: "^$" }],
      "no-restricted-syntax": ["error", { selector: "ExportDefaultDeclaration", message: "Export by name." }],
      "no-console": "error",
      eqeqeq: ["error", "always"],
      "max-lines": ["error", { max: 800, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 80, skipBlankLines: true, skipComments: true }],
      "max-depth": ["error", 4],
    },
  },
  {
    // With types: a promise that nobody awaits loses its error, and a switch that misses a new member compiles.
    files: ["src/**/*.ts"],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { own: { rules: { "formatted-numbers": formattedNumbers } } },
    rules: {
      "own/formatted-numbers": "error",
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  {
    files: ["src/core/**/*.ts"],
    rules: {
      "no-restricted-globals": ["error", ...outsideCore],
      "no-restricted-properties": [
        "error",
        { object: "Date", property: "now", message: "Floor 0 has no clock: take the time as an argument." },
        { object: "Math", property: "random", message: "Floor 0 has no randomness: take it as an argument." },
      ],
    },
  },
  {
    files: ["src/vscode/**/*.ts", "src/extension.ts"],
    rules: {
      "no-restricted-syntax": [
        "error",
        { selector: "ExportDefaultDeclaration", message: "Export by name." },
        {
          selector: "AssignmentExpression[left.property.name=/^(isTrusted|supportHtml|supportThemeIcons)$/]",
          message: `${foreignText}leave Markdown untrusted, without HTML and icons.`,
        },
        {
          selector: "NewExpression[callee.property.name='MarkdownString'][arguments.length>0]",
          message: `${foreignText}begin with an empty MarkdownString and use appendText.`,
        },
        {
          selector:
            "CallExpression[callee.property.name='appendMarkdown'] > :not(Literal):not(CallExpression):not(MemberExpression):not(TemplateLiteral)",
          message: `${foreignText}use appendText.`,
        },
        {
          selector:
            "AssignmentExpression[left.property.name=/^(message|prompt|validationMessage)$/]:not([right.callee.name='inertText']):not([right.name='undefined'])",
          message: `${foreignText}pass it through inertText.`,
        },
        {
          selector:
            "AssignmentExpression[left.property.name='items']:not([right.callee.property.name='map'])",
          message: "Map the rows of a quick pick with inertItem.",
        },
      ],
    },
  },
  {
    files: ["src/vscode/**/*.ts", "src/extension.ts"],
    ignores: ["src/vscode/shell/window.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        ...linkingCalls.map((property) => ({
          property,
          message: `${foreignText}use the function of this name of src/vscode/shell/window.ts.`,
        })),
      ],
    },
  },
  {
    files: ["src/webview/**/*.ts"],
    rules: {
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Model output must not be parsed as HTML: build nodes." },
        { property: "outerHTML", message: "Model output must not be parsed as HTML: build nodes." },
        { property: "insertAdjacentHTML", message: "Model output must not be parsed as HTML: build nodes." },
      ],
    },
  },
  {
    files: ["test/**/*.ts", "test/**/*.mjs"],
    rules: {
      "max-lines-per-function": "off",
      "no-restricted-properties": "off",
      "@typescript-eslint/no-unused-expressions": "off",
    },
  },
  {
    files: ["*.mjs", "*.js", "test/**/*.mjs", "test/host/**", "test/bench/**", "test/start/localGateway.ts"],
    rules: { "no-console": "off", "no-restricted-syntax": "off" },
  },
);
