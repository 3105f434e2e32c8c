/** For each floor, its rooms and which of its other rooms each may import. A room that is not listed is refused. */
const rooms = {
  core: {
    kernel: [],
    account: ["kernel"],
    conversation: ["account", "kernel"],
    responses: ["conversation", "account", "kernel"],
    library: ["conversation", "kernel"],
    compose: ["conversation", "account", "kernel"],
    panel: ["compose", "responses", "conversation", "account", "kernel"],
    nativeChat: ["responses", "conversation", "account", "kernel"],
    servers: ["conversation", "account", "kernel"],
    diagnosis: ["account", "kernel"],
    agentTools: ["servers", "conversation", "account", "kernel"],
  },
  gateway: {
    errors: [],
    http: ["errors"],
    auth: ["errors", "http"],
    completion: ["errors", "http"],
    servers: ["auth", "errors", "http"],
    diagnosis: ["servers", "completion", "auth", "errors", "http"],
  },
  storage: {
    files: [],
    database: ["files"],
    search: ["database", "files"],
    conversations: ["search", "database", "files"],
    records: ["database", "files"],
  },
  processes: {
    programs: [],
    account: ["programs"],
    responses: [],
    library: [],
    servers: ["programs"],
    agentTools: [],
  },
  localGateway: {
    http: [],
    kernel: ["http"],
    inference: ["gpu", "kernel", "http"],
    gpu: ["kernel", "http"],
    service: ["inference", "gpu", "kernel", "http"],
  },
  vscode: {
    shell: [],
    account: ["shell"],
    conversation: ["account", "shell"],
    responses: ["conversation", "account", "shell"],
    library: ["conversation", "account", "shell"],
    servers: ["account", "shell"],
    compose: ["servers", "responses", "conversation", "account", "shell"],
    panel: ["compose", "library", "servers", "responses", "conversation", "account", "shell"],
    nativeChat: ["compose", "responses", "conversation", "account", "shell"],
    agentTools: ["nativeChat", "diagnosis", "compose", "servers", "conversation", "account", "shell"],
    diagnosis: ["conversation", "account", "shell"],
  },
  webview: {
    kit: [],
    markdown: ["kit"],
    composer: ["kit"],
    transcript: ["composer", "markdown", "kit"],
    settings: ["composer", "kit"],
    servers: ["kit"],
    entries: ["transcript", "composer", "markdown", "settings", "servers", "kit"],
  },
};

const roomRules = Object.entries(rooms).flatMap(([floor, its]) => [
  {
    name: `${floor}-has-no-file-in-its-root-and-no-other-room`,
    severity: "error",
    from: { path: `^src/${floor}/(?!(${Object.keys(its).join("|")})/)` },
    to: {},
  },
  ...Object.entries(its).map(([room, below]) => ({
    name: `${floor}-${room}-imports-only-rooms-below-it`,
    severity: "error",
    from: { path: `^src/${floor}/${room}/` },
    to: { path: `^src/${floor}/`, pathNot: `^src/${floor}/(${[room, ...below].join("|")})/` },
  })),
]);

/** The floors: a lower one never imports a higher one, and nothing imports in a circle (types included). */
module.exports = {
  forbidden: [
    ...roomRules,
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "core-imports-core-only",
      severity: "error",
      from: { path: "^src/core/" },
      // The library of VS Code for sentences outside of its API, the one that highlights, the one that matches paths, and
      // the one that parses: the language only.
      to: {
        pathNot:
          "^(src/core/|node_modules/@vscode/l10n/|node_modules/highlight.js/lib/|node_modules/(ignore|valibot)/)",
      },
    },
    {
      name: "floor-1-keeps-below-vscode",
      severity: "error",
      from: { path: "^src/(gateway|storage|processes|localGateway)/" },
      to: { path: "^(vscode$|src/(vscode|webview)/|src/extension)" },
    },
    {
      name: "storage-knows-no-wire",
      severity: "error",
      from: { path: "^src/storage/" },
      to: { path: "^src/(gateway|processes|localGateway)/" },
    },
    {
      name: "gateway-knows-no-storage-and-no-server-side",
      severity: "error",
      from: { path: "^src/gateway/" },
      to: { path: "^src/(storage|processes|localGateway)/" },
    },
    {
      name: "local-gateway-stands-alone",
      comment:
        "It is the interface's other side: sharing client code would let one mistake hide on both sides.",
      severity: "error",
      from: { path: "^src/localGateway/" },
      to: { path: "^src/(gateway|storage|processes)/" },
    },
    {
      name: "processes-know-core-only",
      comment:
        "Which processes still exist is also checked for the files in storage, and there is one way to replace a file that another program has open.",
      severity: "error",
      from: { path: "^src/processes/" },
      to: { path: "^src/(gateway/|storage/(?!files/(?:hasProcess|heldFile)\\.ts$)|localGateway/)" },
    },
    {
      name: "files-of-the-workspace-only-through-vscode",
      comment:
        "The workspace may be on another machine or in no file system at all: use vscode.workspace.fs and documents. Our own files are managed below this floor.",
      severity: "error",
      from: { path: "^src/(vscode/|extension)" },
      to: { path: "^(node:)?fs(/promises)?$" },
    },
    {
      name: "programs-are-started-in-processes",
      comment:
        "A program can't see a workspace on another machine. Git is run only in folders of this machine.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(processes/|vscode/compose/context/git.ts)" },
      to: { path: "^(node:)?child_process$" },
    },
    {
      name: "links-are-resolved-at-the-boundary",
      comment: "Only files of this machine can be resolved. The boundary also handles the others.",
      severity: "error",
      from: { path: "^src/", pathNot: "^src/(storage/|vscode/shell/fileBoundary.ts)" },
      to: { path: "^src/storage/files/realTarget.ts" },
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
