/**
 * The text as one word of a POSIX shell. `'` closes the quotes, is escaped, and reopens them. Everything else inside
 * the quotes is literal.
 */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text) && !text.startsWith("-")) return text;
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
