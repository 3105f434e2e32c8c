import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * What a file of a build loads with it: `import … from "…"` in the page's modules; in the host's CommonJS a `require`
 * whose result is stored or not used. What is required on demand follows an arrow: `.then(()=>…require("…"))`.
 */
const staticImport = {
  js: /\b(?:import|export)\b(?:[^"'()]*?\bfrom\b)?\s*"(\.[^"]+)"/g,
  cjs: /[=;,](?:[\w$]+\()?require\("(\.[^"]+)"\)/g,
};

/** The size in bytes of the built file and everything loaded with it, and which files these are. */
export function loadedWith(entry: string): { readonly bytes: number; readonly files: readonly string[] } {
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    const pattern = file.endsWith(".cjs") ? staticImport.cjs : staticImport.js;
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(pattern)) {
      visit(join(dirname(file), path));
    }
  };
  visit(entry);
  return { bytes: [...files].reduce((sum, file) => sum + statSync(file).size, 0), files: [...files] };
}
