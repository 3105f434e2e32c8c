// Builds the extension host (ES modules, split so that what is imported on demand is loaded on demand) and the page.
import { build, context, transform } from "esbuild";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { brotliCompressSync } from "node:zlib";
import subsetFont from "subset-font";
import { asPackedCommonJs } from "./test/package/hostPacks.js";
import { minifyAgain } from "./test/package/minifyAgain.js";
import { readPackages, sharedScripts, sharedScriptsAt } from "./test/package/sharedScripts.js";

const require = createRequire(import.meta.url);
const isProduction = process.argv.includes("--production");
const isWatching = process.argv.includes("--watch");

const common = {
  bundle: true,
  minify: isProduction,
  sourcemap: isProduction ? false : "linked",
  logLevel: "warning",
  legalComments: "none",
  // Quotes and dashes of our sentences as they are: half as long as their escapes.
  charset: "utf8",
};

/**
 * Modules shared by the entry and by what is loaded on demand would become a file for each set of sharers, and every
 * file costs a round trip of the module loader at startup. Once all that is loaded on demand imports the entry too, the
 * sets are the same, and all that the start needs is one file. At run time the import costs nothing: the entry is there
 * already.
 */
function oneFileAtStart(entryPoint) {
  return {
    name: "one-file-at-start",
    setup({ onStart, onResolve, onLoad }) {
      const entry = resolve(entryPoint);
      let onDemand = new Set();
      onStart(async () => {
        onDemand = await filesOnDemand();
        // What is started alone has the same files, so it counts as loaded on demand.
        for (const source of Object.values(startedAlone)) onDemand.add(resolve(source));
      });
      onResolve({ filter: /^the-api-of-vscode$/ }, ({ path }) => ({ path, namespace: "vscode" }));
      onLoad({ filter: /.*/, namespace: "vscode" }, () => ({
        contents: `
          import { t } from "@vscode/l10n";
          export const vscode = Object.create(require("vscode"), { l10n: { value: { t } } });`,
        resolveDir: dirname(fileURLToPath(import.meta.url)),
      }));
      onLoad({ filter: /\.ts$/, namespace: "file" }, async ({ path }) => {
        const text = (await readFile(path, "utf8")).replace(
          wholeApi,
          'import { vscode } from "the-api-of-vscode";',
        );
        if (!onDemand.has(path)) return { contents: text, loader: "ts" };
        return { contents: `${text}\nimport ${JSON.stringify(entry)};\n`, loader: "ts" };
      });
    },
  };
}

/** What runs without VS Code, with the files of the extension: prompt suites, and threads that are seldom needed. */
const startedAlone = {
  promptSuites: "src/promptSuites.ts",
  importThread: "src/storage/import/importThread.ts",
  recoveryThread: "src/storage/database/recoveryThread.ts",
  vacuumThread: "src/storage/database/vacuumThread.ts",
};

/**
 * All files that are imported on demand somewhere. They are known before any file is loaded: one that is also imported
 * by another file may be loaded through that one first.
 */
async function filesOnDemand() {
  const names = await readdir("src", { recursive: true });
  const paths = names.filter((name) => name.endsWith(".ts")).map((name) => resolve("src", name));
  const found = await Promise.all(
    paths.map(async (path) => {
      const text = await readFile(path, "utf8");
      return [...text.matchAll(/\bimport\("(\.[^"]+)"\)/g)].map(([, name]) => resolve(dirname(path), name));
    }),
  );
  return new Set(found.flat());
}

/**
 * Every module would get a copy of the whole API, name by name: they share the one that VS Code gives. It translates
 * with the same function as the code that VS Code's API isn't available to, which has its texts from `translations`.
 */
const wholeApi = /^import \* as vscode from "vscode";$/m;

/**
 * `import { text } from "text:PATH"` gives a file as a string: a package's as it is, one of ours built as a script of
 * its own. So the page can hand a program to a frame that may load nothing by itself.
 */
const textImports = {
  name: "text-imports",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^text:/ }, ({ path, resolveDir }) => {
      const name = path.slice("text:".length);
      return {
        path: name.startsWith(".") ? resolve(resolveDir, name) : require.resolve(name),
        namespace: "text",
      };
    });
    onLoad({ filter: /.*/, namespace: "text" }, async ({ path }) => {
      const text = path.endsWith(".ts") ? await buildScript(path) : await readFile(path, "utf8");
      return { contents: `export const text = ${JSON.stringify(text)};`, loader: "js" };
    });
  },
};

async function buildScript(path) {
  const options = { bundle: true, minify: true, write: false, format: "iife", target: "chrome128" };
  const { outputFiles } = await build({ ...options, entryPoints: [path] });
  return outputFiles[0].text;
}

/** The icons that the pages show, as rules and as a font: of more than 500 they use about 70. */
const usedIcons = {
  name: "used-icons",
  setup({ onLoad }) {
    const rule = /^\.codicon-([a-z0-9-]+):before \{ content: "\\([0-9a-f]+)" \}\n/gm;
    const isUsed = readIconNames().then((names) => (name) => names.has(name));
    onLoad({ filter: /codicon\.css$/ }, async ({ path }) => {
      const [text, uses] = await Promise.all([readFile(path, "utf8"), isUsed]);
      const contents = text.replace(rule, (whole, name) => (uses(name) ? whole : ""));
      return { contents, loader: "css" };
    });
    onLoad({ filter: /codicon\.ttf$/ }, async ({ path }) => {
      const styles = path.replace(/ttf$/, "css");
      const [font, text, uses] = await Promise.all([readFile(path), readFile(styles, "utf8"), isUsed]);
      const used = [...text.matchAll(rule)].filter(([, name]) => uses(name));
      const characters = used.map(([, , code]) => String.fromCodePoint(Number.parseInt(code, 16)));
      return { contents: await subsetFont(font, characters.join("")), loader: "file" };
    });
  },
};

async function readIconNames() {
  const { iconNames } = await importSource("src/core/kernel/iconNames.ts");
  return new Set(iconNames);
}

/** What a source exports that imports nothing. */
async function importSource(path) {
  const { code } = await transform(await readFile(new URL(path, import.meta.url), "utf8"), { loader: "ts" });
  return import(`data:text/javascript,${encodeURIComponent(code)}`);
}

/**
 * The fonts of formulas, 100 kB smaller: without bold and slanted letters that are hardly ever used (the browser draws
 * them from the plain ones), without copies for browsers that can't read woff2 and, in what is shipped, without the
 * instructions for screens of few pixels.
 */
const smallerFonts = {
  name: "smaller-fonts",
  setup({ onLoad }) {
    const rare =
      /@font-face\s*\{[^}]*KaTeX_(?:Caligraphic-Bold|Fraktur-Bold|SansSerif-Bold|SansSerif-Italic|Main-BoldItalic)\.[^}]*\}/g;
    const others = /,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g;
    onLoad({ filter: /katex(?:\.min)?\.css$/ }, async ({ path }) => {
      const styles = await readFile(path, "utf8");
      return { contents: styles.replace(rare, "").replace(others, ""), loader: "css" };
    });
    if (!isProduction) return;
    onLoad({ filter: /KaTeX_[\w-]+\.woff2$/ }, async ({ path }) => {
      const font = await readFile(path);
      const options = { targetFormat: "woff2", noHinting: true };
      return { contents: await subsetFont(font, basicCharacters, options), loader: "file" };
    });
  },
};

/** Everything that a font of formulas may draw. */
const basicCharacters = String.fromCodePoint(
  ...[...Array(0xffff).keys()].filter((code) => code >= 0x20 && !(code >= 0xd800 && code <= 0xdfff)),
);

/**
 * undici as the extension uses it: its client alone. Its public entry loads everything else too (fetch, caches, mocks,
 * WebSocket) and sets the dispatcher that the `fetch` of the whole extension host uses. It takes 110 ms before the
 * first request of a window instead of 30, and 117 kB of the package. The client alone still brings its parser of HTTP
 * twice, for processors with vector instructions and for all: what a parser reads here are heads of some hundred bytes,
 * so the second one serves. HTTP/2 is off, and bodies are texts, never forms: what would serve those is left out (13 ms
 * and 41 kB). `test/gateway/http/undiciClient.test.ts` fails where a new version moves what this relies on.
 */
const undiciAsUsed = {
  name: "undici-as-used",
  setup({ onResolve, onLoad, resolve: find }) {
    onResolve({ filter: /llhttp_simd-wasm\.js$/ }, ({ path, kind, importer, resolveDir }) =>
      find(path.replace("_simd", ""), { kind, importer, resolveDir }),
    );
    onResolve({ filter: /\/(client-h2|web\/fetch\/body)\.js$/ }, ({ path, importer }) =>
      importer.includes("/undici/") || importer.includes("\\undici\\")
        ? { path, namespace: "unused" }
        : undefined,
    );
    onLoad({ filter: /.*/, namespace: "unused" }, ({ path }) => ({
      contents: `module.exports = () => { throw new Error(${JSON.stringify(`${path} of undici is not in this bundle.`)}); };
module.exports.extractBody = module.exports;`,
    }));
  },
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

/**
 * The translations in one file without the English sentences, which are in the code: VS Code would need a file per
 * language, each with all English sentences, more than twice as large. `src/storage/files/translationFile.ts` reads it
 * and describes its lines.
 */
const translations = {
  name: "translations",
  setup({ initialOptions, onEnd }) {
    onEnd(async () => {
      const folder = "media/l10n";
      const files = (await readdir(folder)).filter((name) => name.endsWith(".json")).sort();
      const bundles = await Promise.all(
        files.map(async (name) => JSON.parse(await readFile(`${folder}/${name}`, "utf8"))),
      );
      const sentences = [...new Set(bundles.flatMap(Object.keys))].sort();
      const languages = files.map((name) => /^bundle\.l10n\.(.+)\.json$/.exec(name)[1]);
      const texts = bundles.map((bundle) => sentences.map((sentence) => bundle[sentence] ?? ""));
      const { sentenceKey } = await importSource("src/core/kernel/displayLanguage.ts");
      const keys = sentences.map(sentenceKey);
      const same = sentences.find((_, at) => keys.indexOf(keys[at]) < at);
      if (same !== undefined) throw new Error(`Another sentence has the same key: reword "${same}".`);
      const lines = [JSON.stringify(languages), keys.join(""), ...texts.map((line) => JSON.stringify(line))];
      const file = resolve(initialOptions.outdir, "translations.br");
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, brotliCompressSync(lines.join("\n")));
    });
  },
};

export const host = {
  ...common,
  // What validates is loaded on demand, so it is in `dist/chunks/`.
  plugins: [
    ...[oneFileAtStart("src/extension.ts"), undiciAsUsed],
    ...[
      validatorAt("../ajv.cjs"),
      sharedScriptsAt("../webview"),
      asPackedCommonJs("src/extension.ts", Object.values(startedAlone)),
      translations,
    ],
  ],
  alias: { debug: "./src/workers/account/noDebug.ts" },
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
  entryPoints: { mcpServer: "src/windows/agentTools/mcpMain.ts" },
  outdir: "dist",
  platform: "node",
  target: "node22",
  format: "esm",
};

/**
 * The files that are shared with the extension load the API of VS Code, which isn't there outside its host. Nothing of
 * it is used while they are loaded, and nothing later: a member of it is a function that does nothing.
 */
const withoutVscode = `
  const Module = require("node:module");
  const load = Module._load;
  const nothing = new Proxy(function () {}, { get: (target, name) => (name in target ? target[name] : nothing) });
  const known = { l10n: {}, env: { language: "en" } };
  const vscode = new Proxy(known, { get: (target, name) => (name in target ? target[name] : nothing) });
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  const files = require("./chunks/others.cjs");`;

/** `node dist/prompts.cjs` starts the command line. */
const commandLineStart = {
  ...common,
  stdin: {
    contents: `${withoutVscode}
      const { runPromptSuites } = files.promptSuites();
      runPromptSuites(process.argv.slice(2), require("node:path").join(__dirname, "validatorThread.js")).then((code) => {
        process.exitCode = code;
      });`,
  },
  outfile: "dist/prompts.cjs",
  platform: "node",
  target: "node22",
  format: "cjs",
  external: ["./chunks/others.cjs"],
};

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
    validatorThread: "src/workers/responses/validatorThread.ts",
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
    plugins: [usedIcons, smallerFonts],
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

/** The packages that a build took something from, for the notices of third parties. */
export const bundledPackages = "out/bundled-packages.json";

if (process.argv[1] === fileURLToPath(import.meta.url)) await run();

async function run() {
  if (isWatching) return watch();
  await rm("dist", { recursive: true, force: true });
  const results = await Promise.all(
    [host, threads, mcpServer, validator, commandLineStart, ...pages].map((options) =>
      build({ ...options, metafile: true }),
    ),
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
  for (const options of [host, threads, mcpServer, validator, commandLineStart, ...pages]) {
    const watched = await context(options);
    // The first build ends before we say that we watch: the launch configuration waits for that.
    await watched.rebuild();
    await watched.watch();
  }
  console.log("Watching for changes…");
}
