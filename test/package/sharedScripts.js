import { DecodingMode, EntityDecoder, decodeHTMLStrict, htmlDecodeTree } from "entities/decode";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/** Packages of which only data is in the scripts. They need their notices, too. */
export const readPackages = ["entities"];

/** The contents of modules that exist only in this build, by name. */
const contents = {
  /** A list of names compresses better than the tree in the package `entities` (4 kB less). */
  "named-characters": () => {
    const names = namesFrom("");
    const characters = names.map((name) => decodeHTMLStrict(`&${name};`));
    return `
      const characters = ${JSON.stringify(characters.join(" "))}.split(" ");
      const table = new Map(${JSON.stringify(names.join(" "))}.split(" ").map((name, at) => [name, characters[at]]));
      export const decodeHTMLStrict = (text) =>
        text.replace(/&([a-z][a-z\\d]*);/gi, (whole, name) => table.get(name) ?? whole);`;
  },
  /**
   * markdown-it without the code that finds bare URLs, because neither the page nor the export links them (11 kB). What
   * imports it provides the decoder of named characters, because the page loads their table (24 kB) only with the first
   * message that may need it.
   */
  "markdown-parser": () => `
    import create from "markdown-it";
    import { decoder } from "decoder";
    export { create, decoder };`,
  decoder: () => "export const decoder = { decodeHTMLStrict: (text) => text };",
  entities: () => `
    import { decoder } from "decoder";
    export const decodeHTMLStrict = (text) => decoder.decodeHTMLStrict(text);`,
  /** Character classes, which regular expressions have built in. */
  "uc.micro": () => {
    const classes = ["Cc", "Cf", "P", "S", "Z"].map((name) => `${name} = /\\p{${name}}/u`);
    return `export const Any = /[^]/u, ${classes.join(", ")};`;
  },
  "linkify-it": () => "export class LinkifyIt {}",
};

/** The names of characters that begin with this text, such as `nbsp`. */
function namesFrom(start) {
  const longer = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"]
    .map((next) => start + next)
    .filter(isStartOfName)
    .flatMap(namesFrom);
  return decodeHTMLStrict(`&${start};`) === `&${start};` ? longer : [start, ...longer];
}

function isStartOfName(text) {
  const decoder = new EntityDecoder(htmlDecodeTree, () => undefined);
  decoder.startEntity(DecodingMode.Strict);
  // A negative number: the decoder waits for more.
  return decoder.write(text, 0) < 0;
}

/**
 * The syntax highlighter, the Markdown parser and the table of named characters are used by the page and by the HTML
 * export. They are shipped once, next to the page's scripts.
 */
export const sharedScripts = {
  plugins: [
    {
      name: "own-modules",
      setup({ onResolve, onLoad }) {
        onResolve(
          { filter: /^(named-characters|markdown-parser|decoder|entities|linkify-it|uc\.micro)$/ },
          ({ path }) => ({
            path,
            namespace: "own",
          }),
        );
        onLoad({ filter: /.*/, namespace: "own" }, ({ path }) => ({
          contents: contents[path](),
          resolveDir: root,
        }));
      },
    },
  ],
  entryPoints: {
    highlighter: "src/core/responses/code/highlighter.js",
    decode: "named-characters",
    markdown: "markdown-parser",
  },
  outdir: "dist/webview",
  platform: "neutral",
  mainFields: ["module", "main"],
  target: "chrome128",
  format: "esm",
};

/**
 * Redirects imports of the shared scripts to their folder.
 * @param path The folder as seen from the built file.
 * @param decoder The module that decodes named characters in Markdown; by default, the whole table is loaded with it.
 */
export function sharedScriptsAt(path, decoder = "entities") {
  const leadTo = (name) => ({ path: `${path}/${name}.js`, external: true });
  return {
    name: "shared-scripts",
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\/highlighter\.js$/ }, () => leadTo("highlighter"));
      onResolve({ filter: /^entities(\/decode)?$/ }, () => leadTo("decode"));
      onResolve({ filter: /^markdown-it$/ }, () => ({ path: "markdown-it", namespace: "shared-markdown" }));
      onResolve({ filter: /^markdown-parser$/ }, () => leadTo("markdown"));
      onLoad({ filter: /.*/, namespace: "shared-markdown" }, () => ({
        contents: `
          import { create, decoder } from "markdown-parser";
          import { decodeHTMLStrict } from ${JSON.stringify(decoder)};
          decoder.decodeHTMLStrict = decodeHTMLStrict;
          export default create;`,
        resolveDir: root,
      }));
    },
  };
}
