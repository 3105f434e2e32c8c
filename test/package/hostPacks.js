// Packs the files of the extension host that esbuild has split into few files.
import { build } from "esbuild";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";

/**
 * The code that the host loads on demand is packed into few files, because each file takes space in the package and is
 * compressed separately. A pack is named here with the sources that need it, and also contains everything that they
 * import. The first use of any of it reads the whole pack, but still runs one module at a time, so a pack contains code
 * that every window needs anyway (`window`) or that is needed together. The rest is in `others`, except for large code
 * that is rarely needed, which is a file of its own.
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
 * Turns the host's files into packs of CommonJS. VS Code loads ES modules through hooks in another thread, with a round
 * trip for each file that imports `vscode`, which takes several times as long. esbuild splits only ES modules, so the
 * files are packed after they have been split. In CommonJS, a file loads what it imports immediately, and what it
 * imports on demand later.
 * @param startSource The entry of the extension.
 * @param startedAlone Sources that other programs start. They are members of the pack `others`, named after their
 * files.
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

/** The names of what other files import: short, because there are many. What is started alone keeps its own name. */
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

/** A pack exports a function for each of its members, which runs it the first time and returns its exports. */
function membersOf(paths, names) {
  const members = paths
    .filter((path) => names.has(path))
    .map((path) => `${names.get(path)}: () => require(${JSON.stringify(path)})`);
  return `module.exports = { ${members.join(",\n")} };`;
}

/** What other files import from the start has short names from esbuild, which are unique only within one output. */
function allOf(paths) {
  if (paths.length > 2) throw new Error(`The start has more than one file: ${paths.join(", ")}.`);
  return paths.map((path) => `export * from ${JSON.stringify(path)};`).join("\n");
}

const fileName = (path) => basename(path, ".cjs").replace(/-.*/, "");

/** An import on demand from another file runs a member of that file. */
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

/** Combines the outputs that belong in one file, and requires the others from their files. */
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
