/** The floors: a lower one never imports a higher one, and nothing imports in a circle (types included). */
module.exports = {
  forbidden: [
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "core-imports-core-only",
      severity: "error",
      from: { path: "^src/core/" },
      // The library of VS Code for sentences outside of its API: the language only.
      to: { pathNot: "^(src/core/|node_modules/@vscode/l10n/)" },
    },
    {
      name: "floor-1-keeps-below-vscode",
      severity: "error",
      from: { path: "^src/(gateway|storage|localGateway|jsonSchema|secretScan)/" },
      to: { path: "^(vscode$|src/(vscode|webview)/|src/extension)" },
    },
    {
      name: "storage-knows-no-wire",
      severity: "error",
      from: { path: "^src/storage/" },
      to: { path: "^src/(gateway|localGateway)/" },
    },
    {
      name: "gateway-knows-no-storage-and-no-server-side",
      severity: "error",
      from: { path: "^src/gateway/" },
      to: { path: "^src/(storage|localGateway)/" },
    },
    {
      name: "local-gateway-stands-alone",
      comment:
        "It is the interface's other side: sharing client code would let one mistake hide on both sides.",
      severity: "error",
      from: { path: "^src/localGateway/" },
      to: { path: "^src/(gateway|storage)/" },
    },
    {
      name: "page-imports-core-only",
      severity: "error",
      from: { path: "^src/webview/" },
      to: { path: "^(src/(?!core/|webview/)|vscode$)", dependencyTypesNot: ["npm"] },
    },
    {
      name: "page-uses-no-node",
      severity: "error",
      from: { path: "^src/(webview|core)/" },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "nothing-imports-the-composition-root",
      severity: "error",
      from: { pathNot: "^src/extension" },
      to: { path: "^src/extension" },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      extensions: [".ts", ".js", ".mjs", ".cjs"],
      conditionNames: ["import", "types"],
    },
  },
};
