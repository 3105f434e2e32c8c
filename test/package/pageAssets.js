// Fonts, icons and embedded files of the pages.
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { build } from "esbuild";
import subsetFont from "subset-font";
import { importSource } from "./importSource.js";

const require = createRequire(import.meta.url);

/**
 * `import { text } from "text:PATH"` gives a file as a string: a package's as it is, one of ours built as a script of
 * its own. In this way, the page passes a program to a frame that isn't allowed to load anything.
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

/** The icons that the pages show, as rules and as a font: about 70 of more than 500. */
export const usedIcons = {
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
  const { iconNames } = await importSource("src/core/kernel/iconNames.ts");
  return new Set(iconNames);
}

/**
 * Makes the fonts of formulas 100 kB smaller: without bold and slanted letters that are rarely used (the browser
 * derives them from the regular ones), without copies for browsers that can't read woff2, and in production builds
 * without hinting for screens of low resolution.
 */
export const smallerFonts = (isProduction) => ({
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
});

/** Everything that a font of formulas may draw. */
const basicCharacters = String.fromCodePoint(
  ...[...Array(0xffff).keys()].filter((code) => code >= 0x20 && !(code >= 0xd800 && code <= 0xdfff)),
);
