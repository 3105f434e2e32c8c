import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

/** The static imports of a bundle. On-demand imports use `import(…)`. */
const staticImport = /\b(?:import|export)\b(?:[^"'()]*?\bfrom\b)?\s*"(\.[^"]+)"/g;

/** The size in bytes of the built file and everything loaded with it, and which files these are. */
export function loadedWith(entry: string): { readonly bytes: number; readonly files: readonly string[] } {
  const files = new Set<string>();
  const visit = (file: string): void => {
    if (files.has(file)) return;
    files.add(file);
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(staticImport)) {
      visit(join(dirname(file), path));
    }
  };
  visit(entry);
  return { bytes: [...files].reduce((sum, file) => sum + statSync(file).size, 0), files: [...files] };
}
