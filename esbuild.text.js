import { build } from "esbuild";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";

const require = createRequire(import.meta.url);

/**
 * `import { text } from "text:PATH"` gives a file as a string: a package's as it is, one of ours built as a script of its own.
 * So the page can hand a program to a frame that may load nothing by itself.
 */
export const textImports = {
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
