// Builds everything that is shipped, into `dist/`. What is imported on demand is also loaded on demand.
import { build } from "esbuild";
import { existsSync, readFileSync, readdirSync, watch } from "node:fs";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";

import { basename, dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import subsetFont from "subset-font";

const root = import.meta.dirname;

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
  metafile: true,
};

// The host

/** VS Code loads ES modules through hooks in another thread, which takes several times as long as CommonJS. */
const host = {
  ...common,
  platform: "node",
  target: "node22",
  format: "cjs",
  supported: { "dynamic-import": false },
  external: ["vscode", "./extension.cjs", "./rest.cjs"],
  // undici's own switch for Node: without the experimental HTTP parser, which is half of the package.
  define: { esbuildDetection: "1" },
};

/** Replaces modules with their contents in this table. */
const replaced = (modules) => ({
  name: "replaced",
  setup({ onResolve, onLoad }) {
    const filter = new RegExp(`^(${Object.keys(modules).join("|")})$`);
    // What replaces a module may import the original.
    onResolve({ filter }, ({ path, importer }) =>
      importer === path ? undefined : { path, namespace: "replaced" },
    );
    onLoad({ filter, namespace: "replaced" }, ({ path }) => ({ contents: modules[path], resolveDir: root }));
  },
});

/** Each module would otherwise copy VS Code's whole API, name by name; an object that inherits it has nothing to copy. */
const inheritedApi = replaced({ vscode: 'module.exports = Object.create(require("vscode"));' });

/**
 * undici has its HTTP parser twice, with and without vector instructions. The second is enough for the headers of a
 * response. If undici moves it, the package becomes 25 kB larger.
 */
const oneHttpParser = {
  name: "one-http-parser",
  setup({ onResolve, resolve: find }) {
    onResolve({ filter: /llhttp_simd-wasm\.js$/ }, ({ path, ...importer }) =>
      find(path.replace("_simd", ""), importer),
    );
  },
};

/** JSON Schema validation is used by the host and by a thread, and is shipped once. */
const sharedValidator = {
  name: "shared-validator",
  setup({ onResolve }) {
    onResolve({ filter: /^ajv($|\/)/ }, () => ({ path: "./ajv.cjs", external: true }));
  },
};

/**
 * The extension in two files, because reading all of it would take longer than everything else that happens when a
 * window starts: `extension.cjs` has what `activate` needs, and `rest.cjs` what our code imports on demand. It is read
 * with the first such import, and each of its modules runs when it is first imported.
 */
async function buildExtension() {
  const onDemand = new Set();
  const files = [];
  // Short names, which are the same in each build.
  const shortName = (file) => `m${files.indexOf(file)}`;
  const startPlugins = [inheritedApi, importsFromRest(onDemand, shortName)];
  const buildStart = (lines, options) =>
    buildHost("extension.cjs", lines, startPlugins, { ...fromRest, ...options });

  const { metafile } = await buildStart(['import "./src/extension.ts";'], { write: false });
  const atStart = new Set(Object.keys(metafile.inputs));
  files.push(...new Set([...atStart, ...onDemand].sort()));

  const rest = await buildHost(
    "rest.cjs",
    [
      ...[...onDemand].map((file) => exportOf(shortName(file), file)),
      ...Object.entries(rareThreads).map(([name, file]) => exportOf(name, file)),
    ].sort(),
    [inheritedApi, modulesOfStart(atStart, shortName), oneHttpParser, sharedValidator],
  );
  const isShared = (file) => `start:${file}` in rest.metafile.inputs;
  const start = await buildStart([
    'export { activate } from "./src/extension.ts";',
    ...files.filter(isShared).map((file) => `export * as ${shortName(file)} from "./${file}";`),
  ]);
  return [start, rest];
}

/** Builds a module of which these are the lines. */
function buildHost(name, lines, plugins, options = {}) {
  const stdin = { contents: lines.join("\n"), resolveDir: root };
  return build({ ...host, ...options, plugins, stdin, outfile: `dist/${name}` });
}

/** A function that runs a module, the first time, and returns its exports. */
const exportOf = (name, file) => `exports.${name} = () => require("./${file}");`;

/** What the first file imports on demand is in the second. */
const fromRest = { banner: { js: 'const fromRest=async(name)=>require("./rest.cjs")[name]();' } };

function importsFromRest(onDemand, shortName) {
  return {
    name: "imports-from-rest",
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const text = await readFile(path, "utf8");
        const contents = text.replace(importOnDemand, (_, name) => {
          const file = nameOf(resolve(dirname(path), name));
          onDemand.add(file);
          return `fromRest("${shortName(file)}")`;
        });
        return { contents, loader: "ts" };
      });
    },
  };
}

/** An import on demand of one of our own files. */
const importOnDemand = /\bimport\("(\.[^"]+)"\)/g;

/** Of what both files need, the second uses that of the first. */
function modulesOfStart(atStart, shortName) {
  return {
    name: "modules-of-start",
    setup({ onResolve, onLoad, resolve: find }) {
      onResolve({ filter: /.*/, namespace: "file" }, async ({ path, pluginData, ...importer }) => {
        if (pluginData === "found") return undefined;
        const found = await find(path, { ...importer, pluginData: "found" });
        const file = nameOf(found.path);
        return atStart.has(file) ? { path: file, namespace: "start" } : found;
      });
      onLoad({ filter: /.*/, namespace: "start" }, ({ path }) => ({
        contents: `module.exports = require("./extension.cjs").${shortName(path)};`,
      }));
    },
  };
}

/** As esbuild names a file: from this folder, with slashes. */
function nameOf(path) {
  return relative(root, path).replaceAll("\\", "/");
}

/** What runs in a thread of its own. It is rarely needed, and most of it is in the host's second file anyway. */
const rareThreads = {
  importThread: "src/processes/library/importThread.ts",
  storageThread: "src/storage/conversations/storageThread.ts",
};

/**
 * The host's files load VS Code's API, which isn't there in a thread. Nothing of it is used there, so each of its members
 * is a function that does nothing.
 */
const startThread = (name) => `
  const Module = require("node:module");
  const load = Module._load;
  const nothing = new Proxy(function () {}, { get: (target, name) => (name in target ? target[name] : nothing) });
  const known = { l10n: {}, env: { language: "en" } };
  const vscode = new Proxy(known, { get: (target, name) => (name in target ? target[name] : nothing) });
  Module._load = (name, ...rest) => (name === "vscode" ? vscode : load(name, ...rest));
  require("./rest.cjs").${name}();`;

/** The thread that is needed often starts without the host's files. */
const validatorThread = {
  ...host,
  plugins: [sharedValidator],
  entryPoints: { validatorThread: "src/processes/responses/validatorThread.ts" },
  outdir: "dist",
  outExtension: { ".js": ".cjs" },
};

const validator = {
  ...host,
  stdin: {
    contents: `
      export { Ajv } from "ajv";
      export { Ajv2019 } from "ajv/dist/2019.js";
      export { Ajv2020 } from "ajv/dist/2020.js";`,
    resolveDir: root,
  },
  outfile: "dist/ajv.cjs",
};

/**
 * The process for MCP clients is one file, because a copy of it is kept where updates of the extension don't move it.
 */
export const mcpServer = {
  ...common,
  // The SDK checks values against JSON schemas only if a server asks its user, which ours doesn't.
  plugins: [
    replaced({
      ajv: "export class Ajv {}; export default Ajv;",
      "ajv-formats": "export default () => undefined;",
      // What models read is never translated, and the library can't be part of an ES module.
      "@vscode/l10n": "export const t = (text) => text;",
    }),
  ],
  entryPoints: { mcpServer: "src/processes/agentTools/mcpMain.ts" },
  outdir: "dist",
  platform: "node",
  target: "node22",
  format: "esm",
};

// The pages

/**
 * The highlighter, the Markdown parser and the table of named characters are files next to the page's scripts, which load
 * them on demand. The parser is given the function that decodes named characters, because
 * a page loads their table with the first message that needs it. Nothing is searched for links.
 */
export const shared = {
  ...common,
  plugins: [
    replaced({
      "markdown-parser": `
        import create from "markdown-it";
        import { decoder } from "decoder";
        export { create, decoder };`,
      decoder: "export const decoder = {};",
      entities: `
        import { decoder } from "decoder";
        export const decodeHTMLStrict = (text) => decoder.decodeHTMLStrict(text);`,
      "linkify-it": "export class LinkifyIt {}",
      // Regular expressions have character classes built in.
      "uc.micro": `export const ${["Cc", "Cf", "P", "S", "Z"].map((name) => `${name} = /\\p{${name}}/u`).join(", ")};
        export const Any = /[^]/u;`,
    }),
  ],
  entryPoints: {
    highlighter: "src/webview/markdown/highlight/highlighter.js",
    markdown: "markdown-parser",
    namedCharacters: "src/webview/markdown/namedCharacters.ts",
  },
  outdir: "dist/webview",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "chrome128",
  format: "esm",
};

/** Plugins that lead imports to these scripts. */
const sharedScripts = [
  {
    name: "shared-scripts",
    setup({ onResolve }) {
      onResolve({ filter: /\/(highlighter\.js|namedCharacters\.ts)$|^markdown-parser$/ }, ({ path }) => {
        const name = path === "markdown-parser" ? "markdown" : basename(path).replace(/\..*/, "");
        return { path: `./${name}.js`, external: true };
      });
    },
  },
  replaced({
    "markdown-it": `
      import { create, decoder } from "markdown-parser";
      import { decodeHTMLStrict } from "./src/webview/markdown/entities.ts";
      decoder.decodeHTMLStrict = decodeHTMLStrict;
      export default create;`,
  }),
];

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

/**
 * Modules shared by the entry and by what is loaded on demand would become a file for each set of sharers. If all that
 * is loaded on demand imports the entry, too, these sets are the same, and the start needs only one more file. At run
 * time, the import costs nothing, because the entry has already been loaded.
 */
const oneFileAtStart = (entry) => ({
  name: "one-file-at-start",
  setup({ onLoad }) {
    const onDemand = filesOnDemand();
    onLoad({ filter: /\.ts$/, namespace: "file" }, async ({ path }) => {
      if (!(await onDemand).has(path)) return undefined;
      const text = await readFile(path, "utf8");
      return { contents: `${text}\nimport ${JSON.stringify(resolve(entry))};\n`, loader: "ts" };
    });
  },
});

/** Known before any file is loaded: one that is imported on demand may be loaded first because of another import. */
async function filesOnDemand() {
  const names = await readdir("src/webview", { recursive: true });
  const paths = names.filter((name) => name.endsWith(".ts")).map((name) => resolve("src/webview", name));
  const texts = await Promise.all(paths.map((path) => readFile(path, "utf8")));
  return new Set(
    texts.flatMap((text, index) =>
      [...text.matchAll(importOnDemand)].map(([, name]) => resolve(dirname(paths[index]), name)),
    ),
  );
}

/** Formulas in sequence diagrams, the only ones that would be drawn, stay text. */
const smallerDiagrams = replaced({ katex: "export default { renderToString: (text) => text };" });

/**
 * `import { text } from "text:PATH"` gives one of our files as a script of its own. In this way, the page passes a
 * program to a frame that isn't allowed to load anything.
 */
const textImports = {
  name: "text-imports",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^text:/ }, ({ path, resolveDir }) => ({
      path: resolve(resolveDir, path.slice("text:".length)),
      namespace: "text",
    }));
    onLoad({ filter: /.*/, namespace: "text" }, async ({ path }) => {
      const script = { ...common, minify: true, sourcemap: false, target: "chrome128", format: "iife" };
      const plugins = [smallerDiagrams];
      const { outputFiles, metafile } = await build({
        ...script,
        plugins,
        entryPoints: [path],
        write: false,
      });
      nested.push(metafile);
      return { contents: `export const text = ${JSON.stringify(outputFiles[0].text)};` };
    });
  },
};

/** The icons that the pages show, as rules and as a font: about 70 of more than 500. */
const usedIcons = {
  name: "used-icons",
  setup({ onLoad }) {
    const rule = /^\.codicon-([a-z0-9-]+):before \{ content: "\\([0-9a-f]+)" \}\n/gm;
    const isUsed = readIconNames().then((names) => (name) => names.has(name));
    onLoad({ filter: /codicon\.css$/ }, async ({ path }) => {
      const [text, uses] = await Promise.all([readFile(path, "utf8"), isUsed]);
      const contents = text.replace(rule, (whole, name) => (uses(name) ? withoutSpeech(whole) : ""));
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

/** The rule with an empty text for screen readers, which would come upon a character without any meaning. */
function withoutSpeech(rule) {
  return rule.replace('" }', '" / "" }');
}

async function readIconNames() {
  const source = await readFile("src/core/kernel/iconNames.ts", "utf8");
  return new Set([...source.matchAll(/"([a-z0-9-]+)"/g)].map(([, name]) => name));
}

/** Only the fonts that formulas often need, in the format that VS Code's browser reads: the rest is twice as large. */
const usedFonts = {
  name: "used-fonts",
  setup({ onLoad }) {
    // The browser derives them from the regular ones.
    const rare =
      /@font-face\s*\{[^}]*KaTeX_(?:Caligraphic-Bold|Fraktur-Bold|SansSerif-Bold|SansSerif-Italic|Main-BoldItalic)\.[^}]*\}/g;
    const others = /,\s*url\([^)]*\.(?:woff|ttf)\)\s*format\([^)]*\)/g;
    onLoad({ filter: /katex(?:\.min)?\.css$/ }, async ({ path }) => {
      const styles = await readFile(path, "utf8");
      return { contents: styles.replace(rare, "").replace(others, ""), loader: "css" };
    });
    if (!isProduction) return;
    // Without hinting for screens of low resolution.
    const all = String.fromCodePoint(...Array(0xd7ff).keys());
    onLoad({ filter: /KaTeX_[\w-]+\.woff2$/ }, async ({ path }) => {
      const options = { targetFormat: "woff2", noHinting: true };
      return { contents: await subsetFont(await readFile(path), all, options), loader: "file" };
    });
  },
};

/** A page that starts with the script `entry`. */
export const createPage = (name, entry) => ({
  ...webview,
  plugins: [oneFileAtStart(entry), ...sharedScripts, textImports],
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

/** The scripts and styles of the webviews. The tests build them with these too. */
export const pages = [
  createPage("chat", "src/webview/entries/chat.ts"),
  tableAndForm,
  { ...webview, entryPoints: { costs: "src/webview/entries/costs.ts" } },
  shared,
  {
    ...webview,
    plugins: [usedIcons, usedFonts],
    entryPoints: {
      sharedStyle: "media/shared.css",
      mathStyle: "media/chat/math.css",
      serverTableStyle: "media/serverTable.css",
      costsStyle: "media/costs.css",
      profileFormStyle: "media/profileForm.css",
      reportStyle: "media/report.css",
      style: "media/chat.css",
    },
  },
];

// Third-party notices

/** The licenses of every package of which something is in the bundles, each text once. */
function thirdPartyNotices(metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs));
  const files = outputs.flatMap(({ inputs }) =>
    Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0),
  );
  const paths = [...new Set(files.flatMap((file) => /(?<=^|:)node_modules\/.*/.exec(file)?.[0] ?? []))];
  const folders = paths.map(
    (path) => /^node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/.exec(path)[0],
  );
  for (const name of prebuilt) {
    const { dependencies } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    if (folders.includes(`node_modules/${name}`))
      folders.push(...Object.keys(dependencies).map((dependency) => `node_modules/${dependency}`));
  }
  const notices = [
    ...[...new Set(folders)].map((folder) => noticeOf(folder)),
    ...paths.flatMap(builtInNotices),
  ];
  const titles = new Map();
  for (const [title, text] of notices.toSorted())
    titles.set(text, (titles.get(text) ?? new Set()).add(title));
  const all = [...titles].map(([text, same]) => `${[...same].join("\n")}\n\n${text}`);
  const intro = "Inference Gateway includes the following third-party software, fonts and icons.";
  return [intro, ...all].join(`\n\n${"-".repeat(80)}\n\n`);
}

/** Packages whose published file contains their dependencies, without a trace of it. */
const prebuilt = ["roughjs"];

/** Who holds the copyright, under the MIT license, of a package that another one contains and that isn't installed. */
const copyrights = {
  langium: "2021 TypeFox GmbH",
  "chevrotain-allstar": "2022 TypeFox GmbH",
  "vscode-jsonrpc": "(c) Microsoft Corporation",
  "vscode-languageserver-protocol": "(c) Microsoft Corporation",
  "vscode-languageserver-textdocument": "(c) Microsoft Corporation",
  "vscode-languageserver-types": "(c) Microsoft Corporation",
  "vscode-uri": "(c) Microsoft",
};

/** The licenses of the packages that a published file contains, as the comments between them say. */
function builtInNotices(file) {
  const trace =
    /^ *\/\/ .*\/node_modules\/\.pnpm\/@?[^/@]+@([^/_(]+)[^/]*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//gm;
  if (!/\.m?js$/.test(file)) return [];
  return [...readFileSync(file, "utf8").matchAll(trace)].map(([, version, name]) => {
    if (existsSync(`node_modules/${name}`)) return noticeOf(`node_modules/${name}`, version);
    const isChevrotain = name === "chevrotain" || name.startsWith("@chevrotain/");
    if (!isChevrotain && copyrights[name] === undefined)
      throw new Error(`Add the license of ${name}, which ${file} contains, to esbuild.js.`);
    const text = isChevrotain
      ? readFileSync("node_modules/@chevrotain/types/LICENSE.txt", "utf8").trim()
      : mitLicense(copyrights[name]);
    return [`${name} ${version}`, text];
  });
}

/**
 * The name of a package with its version, and the text of its license.
 * @param contained The version that another package contains; by default the installed one.
 */
function noticeOf(folder, contained) {
  const { name, version: installed, license } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  const texts = readdirSync(folder)
    .filter((file) => /^(licen[sc]e|copying|notice|ofl)([.-].*)?$/i.test(file))
    .map((file) => readFileSync(`${folder}/${file}`, "utf8").trim());
  if (texts.length === 0 && license === undefined) throw new Error(`${name} states no license.`);
  const text = texts.length === 0 ? licenseOf(folder, license) : texts.join("\n\n");
  return [`${name} ${contained ?? installed}`, text];
}

/** The license of a package without a file for it: as its README has it, or the usual text. */
function licenseOf(folder, license) {
  const readme = readdirSync(folder).find((file) => /^readme\.md$/i.test(file));
  const section =
    readme &&
    /^## License\s+([^]*Permission is hereby granted[^]*)/m.exec(readFileSync(`${folder}/${readme}`, "utf8"));
  if (section) return section[1].trim();
  if (license !== "MIT")
    throw new Error(
      `Add the text of the license ${license} for ${folder}, which has no file with it, to esbuild.js.`,
    );
  const { author = "its authors" } = JSON.parse(readFileSync(`${folder}/package.json`, "utf8"));
  return mitLicense(`(c) ${author.name ?? author}`);
}

/** The text of the MIT license, which is also our own. */
function mitLicense(holder) {
  const own = readFileSync("LICENSE", "utf8");
  return `Copyright ${holder}\n\n${own.slice(own.indexOf("Permission is")).trim()}`;
}

/** Programs that pages pass to frames are built for themselves. */
const nested = [];

async function buildAll() {
  const others = [validatorThread, validator, mcpServer, ...pages].map((options) => build(options));
  const results = [...(await buildExtension()), ...(await Promise.all(others))];
  const notices = thirdPartyNotices([...nested.splice(0), ...results.map(({ metafile }) => metafile)]);
  await writeFile("dist/ThirdPartyNotices.txt", notices);
  for (const name of Object.keys(rareThreads)) await writeFile(`dist/${name}.cjs`, startThread(name));
}

/** The launch configuration waits for the message. A mistake has been reported by esbuild. */
async function rebuild() {
  await buildAll().catch(() => undefined);
  console.log("Watching for changes…");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await rm("dist", { recursive: true, force: true });
  if (isWatching) await watchSources();
  else await buildAll();
}

async function watchSources() {
  let building = rebuild();
  let timer;
  for (const folder of ["src", "media"]) {
    watch(folder, { recursive: true }, () => {
      clearTimeout(timer);
      timer = setTimeout(() => (building = building.then(rebuild)), 100);
    });
  }
}
