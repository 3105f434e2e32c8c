// Decides which files a script consists of at its start.
import { readFile, readdir } from "node:fs/promises";
import { dirname, resolve } from "node:path";

/** What runs without VS Code, with the files of the extension: threads that are rarely needed. */
export const startedAlone = {
  importThread: "src/storage/import/importThread.ts",
  recoveryThread: "src/storage/database/recoveryThread.ts",
  vacuumThread: "src/storage/database/vacuumThread.ts",
};

/**
 * Modules shared by the entry and by what is loaded on demand would become a file for each set of sharers, and every
 * file costs a round trip of the module loader at startup. If everything that is loaded on demand imports the entry,
 * too, these sets are the same, and the start needs only one file. At run time, the import costs nothing, because the
 * entry has already been loaded.
 */
export function oneFileAtStart(entryPoint) {
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
        contents: 'export const vscode = require("vscode");',
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

/** Each module would otherwise copy the whole API, name by name; they share the object that VS Code provides. */
const wholeApi = /^import \* as vscode from "vscode";$/m;
