const cache = new Map<string, string>();

/**
 * A field's name in the form used to compare aliases: without case, separators and the prefix of an extension.
 * `availability_zone`, `availabilityZone` and `OS-EXT-AZ:availability_zone` are all `availabilityzone`.
 */
export function fieldName(name: string): string {
  const known = cache.get(name);
  if (known !== undefined) return known;
  if (cache.size > 5_000) cache.clear();
  const lower = name.slice(0, 200).toLowerCase();
  const local = lower.slice(Math.max(lower.lastIndexOf(":"), lower.lastIndexOf("/")) + 1);
  // Most names are ASCII, for which a simpler expression is compiled faster.
  const letters = local.replace(/[^\0-\x7f]/.test(local) ? /[^\p{L}\p{N}]+/gu : /[^a-z0-9]+/g, "");
  const result = letters === "" ? lower : letters;
  cache.set(name, result);
  return result;
}
