/**
 * Whether the query of a request target is well-formed percent-encoded UTF-8. A parser that repairs would let different
 * requests have the same values, and so the same signature.
 */
export function hasWellFormedQuery(target: string): boolean {
  const at = target.indexOf("?");
  if (at < 0) return true;
  try {
    decodeURIComponent(target.slice(at + 1));
    return true;
  } catch {
    return false;
  }
}
