/** The path with the user's home folder in place of a leading `~`. */
export function expandHome(path: string, home: string): string {
  // A function, because `$` has a meaning in a replacement text, and may occur in the name of a folder.
  return path.replace(/^~(?=$|[\\/])/, () => home);
}
