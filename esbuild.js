// Builds everything that is shipped, into `dist/`. What is imported on demand is also loaded on demand.
import { build, context } from "esbuild";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { asPackedCommonJs } from "./test/package/hostPacks.js";
import { minifyAgain } from "./test/package/minifyAgain.js";
import { smallerFonts, textImports, usedIcons } from "./test/package/pageAssets.js";
import { readPackages, sharedScripts, sharedScriptsAt } from "./test/package/sharedScripts.js";
import { oneFileAtStart, startedAlone } from "./test/package/startFiles.js";
import { undiciAsUsed } from "./test/package/undiciAsUsed.js";

const isProduction = process.argv.includes("--production");
const isWatching = process.argv.includes("--watch");

const common = {
  bundle: true,
  minify: isProduction,
  sourcemap: isProduction ? false : "linked",
  logLevel: "warning",
  legalComments: "none",
  // Quotation marks and dashes aren't escaped, because escapes are twice as long.
  charset: "utf8",
};

/** The validator of JSON schemas serves the host and a thread: it is shipped once, as `dist/ajv.cjs`. */
const validator = {
  ...common,
  stdin: {
    contents: `export { Ajv } from "ajv"; export { Ajv2019 } from "ajv/dist/2019.js"; export { Ajv2020 } from "ajv/dist/2020.js";`,
    resolveDir: dirname(fileURLToPath(import.meta.url)),
  },
  outfile: "dist/ajv.cjs",
  platform: "node",
  target: "node22",
  format: "cjs",
};

/** Makes imports of the validator lead to `path`, seen from the built file. */
function validatorAt(path) {
  return {
    name: "validator",
    setup({ onResolve }) {
      onResolve({ filter: /^ajv($|\/)/ }, () => ({ path, external: true }));
    },
  };
}

export const host = {
  ...common,
  // What validates is loaded on demand, so it is in `dist/chunks/`.
  plugins: [
    ...[oneFileAtStart("src/extension.ts"), undiciAsUsed],
    ...[
      validatorAt("../ajv.cjs"),
      sharedScriptsAt("../webview"),
      asPackedCommonJs("src/extension.ts", Object.values(startedAlone)),
    ],
  ],
  alias: { debug: "./src/processes/account/noDebug.ts" },
  entryPoints: { extension: "src/extension.ts", ...startedAlone },
  outdir: "dist",
  platform: "node",
  target: "node22",
  format: "esm",
  splitting: true,
  outExtension: { ".js": ".cjs" },
  chunkNames: "chunks/[name]-[hash]",
  external: ["vscode"],
};

/**
 * The process for MCP clients is one file, because a copy of it is kept where updates of the extension don't move it.
 */
export const mcpServer = {
  ...common,
  entryPoints: { mcpServer: "src/processes/agentTools/mcpMain.ts" },
  outdir: "dist",
  platform: "node",
  target: "node22",
  format: "esm",
};

/**
 * The files that are shared with the extension load the API of VS Code, which isn't there outside its host. Nothing of
 * it is used, neither while they are loaded nor later, so each of its members is a function that does nothing.
 */
const withoutVscode = `
  const Module = require("node:module");
  const load = Module._load;
  const nothing = new Proxy(function () {}, { get: (target, name) => (name in target ? target[name] : nothing) });
  const known = { l10n: {}, env: { language: "en" } };
  const vscode = new Proxy(known, { get: (target, name) => (name in target ? target[name] : nothing) });
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  const files = require("./chunks/others.cjs");`;

/**
 * Each of these files is loaded by a thread of its own. The one that is needed often starts without the host's files.
 */
const threads = {
  ...common,
  plugins: [
    validatorAt("./ajv.cjs"),
    {
      name: "thread-starts",
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /^start:/ }, ({ path }) => ({ path: path.slice(6), namespace: "start" }));
        onLoad({ filter: /.*/, namespace: "start" }, ({ path }) => ({
          contents: `${withoutVscode}\nfiles.${path}();`,
        }));
      },
    },
  ],
  entryPoints: {
    validatorThread: "src/processes/responses/validatorThread.ts",
    importThread: "start:importThread",
    recoveryThread: "start:recoveryThread",
    vacuumThread: "start:vacuumThread",
  },
  outdir: "dist",
  platform: "node",
  target: "node22",
  format: "esm",
  external: ["./chunks/others.cjs"],
  // CommonJS packages inside an ES module need a `require` for Node's own modules.
  banner: {
    js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
  },
};

const webview = {
  ...common,
  outdir: "dist/webview",
  platform: "browser",
  target: "chrome128",
  format: "esm",
  splitting: true,
  // What a page needs at its start is in `chunk.js`, which its document loads beside the entry.
  chunkNames: "[name]",
  assetNames: "[name]",
  loader: { ".ttf": "file", ".woff2": "file" },
};

/** The pages load the table of named characters with the first message that may need it. */
const namedCharacters = resolve("src/webview/markdown/entities.ts");

/** A page that starts with the script `entry`. */
export const createPage = (name, entry) => ({
  ...webview,
  plugins: [oneFileAtStart(entry), sharedScriptsAt(".", namedCharacters), textImports],
  entryPoints: { [name]: entry },
});

/**
 * The server table and the form for profiles. What both need is in a file that their documents load beside the entry.
 */
const tableAndForm = {
  ...webview,
  entryPoints: {
    serverTable: "src/webview/entries/serverTable.ts",
    profileForm: "src/webview/entries/profileForm.ts",
  },
  chunkNames: "tableAndForm",
};

/** What the pages share with the host. */
export const shared = { ...common, ...sharedScripts };

/** The scripts and styles of the webviews. The tests build them with these too. */
export const pages = [
  createPage("chat", "src/webview/entries/chat.ts"),
  tableAndForm,
  shared,
  {
    ...webview,
    plugins: [usedIcons, smallerFonts(isProduction)],
    entryPoints: {
      sharedStyle: "media/shared.css",
      mathStyle: "media/chat/math.css",
      serverTableStyle: "media/serverTable.css",
      profileFormStyle: "media/profileForm.css",
      reportStyle: "media/report.css",
      style: "media/chat.css",
    },
  },
];

/** A list of the packages from which a build took anything, for the third-party notices. */
export const bundledPackages = "out/bundled-packages.json";

if (process.argv[1] === fileURLToPath(import.meta.url)) await run();

async function run() {
  if (isWatching) return watch();
  await rm("dist", { recursive: true, force: true });
  const results = await Promise.all(
    [host, threads, mcpServer, validator, ...pages].map((options) => build({ ...options, metafile: true })),
  );
  if (isProduction) await minifyAgain("dist");
  await mkdir(dirname(bundledPackages), { recursive: true });
  await writeFile(bundledPackages, JSON.stringify(packagesIn(results.map(({ metafile }) => metafile))));
}

/**
 * Folders of the packages whose files are in the bundles, relative to this folder, each with whether a file of it was
 * taken as text: such a file may have been bundled by its authors, with their dependencies inside.
 */
function packagesIn(metafiles) {
  const found = new Map(readPackages.map((name) => [`node_modules/${name}`, false]));
  for (const input of metafiles.flatMap(({ inputs }) => Object.keys(inputs))) {
    const folder = /node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(
      input.replaceAll("\\", "/"),
    )?.[0];
    if (folder === undefined) continue;
    found.set(folder, found.get(folder) === true || input.startsWith("text:"));
  }
  return [...found].sort().map(([folder, isPrebuilt]) => ({ folder, isPrebuilt }));
}

async function watch() {
  for (const options of [host, threads, mcpServer, validator, ...pages]) {
    const watched = await context(options);
    // The launch configuration waits for the message below, so the first build must end before it.
    await watched.rebuild();
    await watched.watch();
  }
  console.log("Watching for changes…");
}
