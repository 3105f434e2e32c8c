import { parseGitIgnore } from "./gitIgnore.ts";
import type { IgnoreRule } from "./gitIgnore.ts";

/** More alternatives than a glob of a person has. */
const maxAlternatives = 64;

/** The globs that settings such as `files.exclude` turn on, later tables over earlier ones. */
export function excludeGlobs(...tables: readonly unknown[]): readonly string[] {
  const globs = new Set<string>();
  for (const table of tables) {
    if (typeof table !== "object" || table === null) continue;
    for (const [glob, value] of Object.entries(table)) {
      if (value === true) globs.add(glob);
      else globs.delete(glob);
    }
  }
  return [...globs];
}

/** One glob for all of them; undefined where there is none. */
export function joinGlobs(globs: readonly string[]): string | undefined {
  return globs.length > 1 ? `{${globs.join(",")}}` : globs[0];
}

/** The globs as rules of a `.gitignore` in the workspace's folder: they mean the same. */
export function excludeRules(globs: readonly string[]): readonly IgnoreRule[] {
  return globs.flatMap(expandBraces).flatMap((glob) => parseGitIgnore(`/${glob.replace(/^\//, "")}`));
}

/** `*.{a,b}` is `*.a` and `*.b`. */
function expandBraces(glob: string): readonly string[] {
  let globs: readonly string[] = [glob];
  for (;;) {
    const next = globs.flatMap((each) => {
      const match = /^([^]*?)\{([^{}]*)\}([^]*)$/.exec(each);
      if (match === null) return [each];
      return (match[2] ?? "").split(",").map((word) => `${match[1] ?? ""}${word}${match[3] ?? ""}`);
    });
    if (next.every((each, index) => each === globs[index]) || next.length > maxAlternatives) return globs;
    globs = next;
  }
}
