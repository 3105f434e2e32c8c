// Packs the files of the extension host that esbuild has split into few files.
import { build } from "esbuild";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";

/**
 * What the host loads on demand is packed into few files, because every file takes space in the package and is
 * compressed by itself. Each pack is named here with the sources that need it, and also holds what these import. All of
 * a pack is read when something of it is needed first, and still runs module by module; so it holds what a window needs
 * anyway (`window`) or what is needed together. All else is in `others`, except for what is large and seldom needed:
 * that is a file of its own.
 */
const packs = {
  window: [
    "src/vscode/account/statusBar.ts",
    "src/vscode/servers/serversView.ts",
    "src/vscode/library/historyTree.ts",
  ],
  chat: [
    "src/vscode/panel/chatServices.ts",
    "src/storage/conversations/openConversationStore.ts",
    "src/storage/conversations/retryingConversationStore.ts",
    "src/vscode/responses/usage/usageLedger.ts",
    "src/storage/usage/sqliteLedger.ts",
  ],
  requests: [
    "src/gateway/http/undiciTransport.ts",
    "src/gateway/servers/gatewayClient.ts",
    "src/gateway/completion/inferenceClient.ts",
  ],
};
const largeBytes = 40_000;

/**
 * The host's files as CommonJS, in packs. VS Code loads ES modules through hooks in a thread of their own, and asks
 * back for every file that imports `vscode`: that takes several times as long. esbuild splits only ES modules, so the
 * files are packed when they are split. In CommonJS a file loads at once what it imports, and later what it imports on
 * demand.
 * @param startSource The entry of the extension.
 * @param startedAlone Sources that other programs start: members of the pack `others`, named after their files.
 */
export const asPackedCommonJs = (startSource, startedAlone) => ({
  name: "as-packed-commonjs",
  setup({ initialOptions, onEnd }) {
    const { minify, target, charset, legalComments, sourcemap } = initialOptions;
    const toCommonJs = {
      ...{ bundle: true, write: false, format: "cjs", supported: { "dynamic-import": false } },
      // For Node, esbuild would list all exports again in a form that only ES modules need.
      ...{ minify, target, charset, legalComments, platform: "neutral" },
      sourcemap: sourcemap ? "inline" : false,
    };
    initialOptions.write = false;
    initialOptions.metafile = true;
    if (sourcemap) initialOptions.sourcemap = "inline";
    onEnd(async ({ outputFiles = [], metafile }) => {
      if (metafile === undefined || outputFiles.length === 0) return;
      const texts = new Map(outputFiles.map(({ path, text }) => [path, text]));
      const places = placeFiles(metafile.outputs, startSource, minify);
      const names = memberNames(metafile.outputs, places, startedAlone);
      await Promise.all(
        [...new Set(places.values())].map(async (file) => {
          const members = [...places].filter(([, place]) => place === file).map(([path]) => path);
          const contents = file === startFile ? allOf(members) : membersOf(members, names);
          const stdin = { contents, resolveDir: dirname(file) };
          const plugins = [oneFile(file, texts, places, names)];
          const { outputFiles: built } = await build({ ...toCommonJs, stdin, outfile: file, plugins });
          await write(file, built[0].text);
        }),
      );
    });
  },
});

/** What is loaded when the extension is activated. */
const startFile = resolve("dist/extension.cjs");

/** The file that each output becomes part of. */
function placeFiles(outputs, startSource, isShipped) {
  const places = new Map();
  const start = loadedWith(outputs, outputOf(outputs, startSource));
  for (const path of start) places.set(resolve(path), startFile);
  const place = (path, name) => {
    if (!places.has(resolve(path))) places.set(resolve(path), resolve("dist/chunks", `${name}.cjs`));
  };
  for (const [name, sources] of Object.entries(packs)) {
    for (const source of sources) {
      for (const path of loadedWith(outputs, outputOf(outputs, source))) place(path, name);
    }
  }
  for (const [path, { bytes }] of Object.entries(outputs)) {
    place(path, isShipped && bytes > largeBytes ? fileName(path) : "others");
  }
  return places;
}

/**
 * The names of what other files import, short because there are many. What is started alone keeps its own.
 */
function memberNames(outputs, places, startedAlone) {
  const found = new Set();
  for (const [path, { imports }] of Object.entries(outputs)) {
    for (const imported of imports.filter(({ external }) => !external).map((one) => resolve(one.path))) {
      if (places.get(imported) !== places.get(resolve(path))) found.add(imported);
    }
  }
  const names = new Map([...found].sort().map((path, index) => [path, `m${index.toString(36)}`]));
  for (const source of startedAlone) names.set(resolve(outputOf(outputs, source)), basename(source, ".ts"));
  return names;
}

function outputOf(outputs, source) {
  const found = Object.entries(outputs).find(([, { entryPoint }]) => entryPoint === source);
  if (found === undefined) throw new Error(`Nothing imports ${source} on demand: it can't be in a pack.`);
  return found[0];
}

/** An output and all that it imports, but not what it imports on demand. */
function loadedWith(outputs, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  for (const { path: imported, kind, external } of outputs[path].imports) {
    if (kind === "import-statement" && !external) loadedWith(outputs, imported, found);
  }
  return found;
}

/** A pack gives for each of its members a function that runs it, the first time, and returns what it exports. */
function membersOf(paths, names) {
  const members = paths
    .filter((path) => names.has(path))
    .map((path) => `${names.get(path)}: () => require(${JSON.stringify(path)})`);
  return `module.exports = { ${members.join(",\n")} };`;
}

/** What the other files need of the start has short names, given by esbuild, which are unique in one output only. */
function allOf(paths) {
  if (paths.length > 2) throw new Error(`The start has more than one file: ${paths.join(", ")}.`);
  return paths.map((path) => `export * from ${JSON.stringify(path)};`).join("\n");
}

const fileName = (path) => basename(path, ".cjs").replace(/-.*/, "");

/** Imports on demand that lead out of a file run a member of another one. */
function leadOnDemand(text, path, file, places, names) {
  return text.replace(/\bimport\("(\.[^"]+\.cjs)"\)/g, (whole, name) => {
    const target = resolve(dirname(path), name);
    if (places.get(target) === file) return whole;
    return `Promise.resolve().then(() => ${memberElsewhere(target, file, places, names)})`;
  });
}

function memberElsewhere(path, file, places, names) {
  const name = names.get(path);
  if (name === undefined) throw new Error(`${file} needs ${path}, which isn't a member of any pack.`);
  return `require(${JSON.stringify(pathFrom(file, places.get(path)))}).${name}()`;
}

function pathFrom(file, other) {
  const path = relative(dirname(file), other).replaceAll("\\", "/");
  return path.startsWith(".") ? path : `./${path}`;
}

/**
 * A source map names the sources as seen from its output, which may be in another folder than the file it belongs in.
 */
function withSourcesFrom(text, path, file) {
  return text.replace(/(?<=^\/\/# sourceMappingURL=data:application\/json;base64,).+$/m, (encoded) => {
    const map = JSON.parse(Buffer.from(encoded, "base64").toString());
    const sources = map.sources.map((source) => pathFrom(file, resolve(dirname(path), source)));
    return Buffer.from(JSON.stringify({ ...map, sources })).toString("base64");
  });
}

/** The outputs that belong in one file; what is in others is required from there. */
const oneFile = (file, texts, places, names) => ({
  name: "one-file",
  setup({ onResolve, onLoad }) {
    const files = new Set(places.values());
    onResolve({ filter: /.*/ }, ({ path, resolveDir, kind }) => {
      const target = resolve(resolveDir, path);
      if (kind !== "entry-point" && places.get(target) === file) return { path: target, namespace: "output" };
      if (places.get(target) === startFile) return { path: pathFrom(file, startFile), external: true };
      if (files.has(target)) return { path: pathFrom(file, target), external: true };
      if (places.has(target)) return { path: target, namespace: "elsewhere" };
      return { path, external: true };
    });
    onLoad({ filter: /.*/, namespace: "output" }, ({ path }) => ({
      contents: withSourcesFrom(leadOnDemand(texts.get(path), path, file, places, names), path, file),
      resolveDir: dirname(path),
    }));
    onLoad({ filter: /.*/, namespace: "elsewhere" }, ({ path }) => ({
      contents: `module.exports = ${memberElsewhere(path, file, places, names)};`,
      resolveDir: dirname(file),
    }));
  },
});

async function write(path, code) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `"use strict";${code}`);
}
