/**
 * Reduces undici to what the extension uses: its client. Its public entry point loads everything else, too (fetch,
 * caches, mocks, WebSocket), and sets the dispatcher that `fetch` uses in the whole extension host. It would take 110
 * ms before the first request of a window instead of 30, and 117 kB of the package. The client itself contains its HTTP
 * parser twice, with and without vector instructions. What it parses here are headers of a few hundred bytes, so the
 * second one is enough. HTTP/2 is off, and bodies are text, never forms, so the code for both is left out (13 ms and 41
 * kB). `test/gateway/http/undiciClient.test.ts` fails if a new version moves anything that this relies on.
 */
export const undiciAsUsed = {
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
