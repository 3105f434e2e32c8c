/**
 * Names as the service takes them (1 to 64 letters, digits, `_` or `-`), each with the name in the editor. Two that
 * would become the same get a number; the order of `names` does not matter, so that a tool keeps its name.
 */
export function wireNames(names: readonly string[]): ReadonlyMap<string, string> {
  const byWireName = new Map<string, string>();
  for (const name of [...new Set(names)].toSorted(exactNamesFirst)) {
    byWireName.set(freeName(cleanName(name), byWireName), name);
  }
  return byWireName;
}

function exactNamesFirst(left: string, right: string): number {
  const isExact = (name: string): number => (cleanName(name) === name ? 0 : 1);
  return isExact(left) - isExact(right) || (left < right ? -1 : left > right ? 1 : 0);
}

function cleanName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  return clean === "" ? "tool" : clean;
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name.slice(0, 63 - String(number).length)}_${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
