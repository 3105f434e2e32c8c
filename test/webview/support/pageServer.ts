import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { createPage, pages } from "../../../esbuild.js";
import {
  chatDocument,
  costsDocument,
  profileDocument,
  tableDocument,
} from "../../../src/core/panel/pages/pageDocument.ts";
import type { PageUris } from "../../../src/core/panel/pages/pageDocument.ts";
import { readTexts } from "../../l10n/support/readTexts.ts";

const repository = fileURLToPath(new URL("../../..", import.meta.url));
const cspNonce = "dGVzdC1ub25jZQ";
const mediaTypes: Readonly<Record<string, string>> = {
  css: "text/css",
  js: "text/javascript",
  ttf: "font/ttf",
  woff2: "font/woff2",
};

/** The pages by path. */
const documents: ReadonlyMap<string, (place: PageUris) => string> = new Map([
  ["", chatDocument],
  ["table", tableDocument],
  ["costs", costsDocument],
  ["profile", profileDocument],
]);

/** Serves the pages' bundles at a loopback address, with the same documents and policies as in VS Code. */
export interface PageServer {
  readonly origin: string;
  close(): Promise<void>;
}

let built: ReturnType<typeof buildPage> | undefined;

/**
 * Builds the page as `npm run build` does, once per process, and serves it from memory: in English, or with the
 * translations for another language.
 */
export async function startPageServer(language = "en"): Promise<PageServer> {
  const files = await (built ??= buildPage());
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://page").pathname.slice(1);
    const place = pageUris(`http://${request.headers.host}`, language);
    // The browser requests an icon by itself, which it doesn't in VS Code.
    const content = path === "favicon.ico" ? "" : (documents.get(path)?.(place) ?? files.get(path));
    const mediaType = mediaTypes[path.split(".").at(-1) ?? ""] ?? "text/html";
    response.writeHead(content === undefined ? 404 : 200, {
      "content-type": `${mediaType}; charset=utf-8`,
      ...(files.has(path) ? { "cache-control": "max-age=3600" } : {}),
    });
    response.end(content);
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => void server.close(() => resolve()));
    },
  };
}

async function buildPage(): Promise<ReadonlyMap<string, Uint8Array>> {
  // The driver evaluates it as a single script, which can't import what the pages share with the host.
  const page = createPage("markdown-bench", "test/webview/support/benchEntry.ts");
  const bench = {
    ...page,
    plugins: (page.plugins ?? []).filter(
      ({ name }) => !["one-file-at-start", "shared-scripts", "replaced"].includes(name),
    ),
    format: "iife" as const,
    splitting: false,
  };
  const results = await Promise.all(
    [...pages, bench].map((options) =>
      build({
        ...options,
        absWorkingDir: repository,
        minify: process.env["PAGE_PLAIN"] === undefined,
        sourcemap: false,
        write: false as const,
        outdir: "out",
      }),
    ),
  );
  return new Map(
    results
      .flatMap(({ outputFiles }) => outputFiles)
      .map((file) => [file.path.split(/[\\/]/).at(-1) ?? "", file.contents]),
  );
}

/** The URIs that a webview has in VS Code. */
function pageUris(origin: string, language: string): PageUris {
  return {
    asset: (name) => `${origin}/${name}`,
    source: origin,
    nonce: cspNonce,
    language,
    translations:
      language === "en" ? "" : JSON.stringify(readTexts(`media/l10n/bundle.l10n.${language}.json`)),
  };
}
