/** Node 22 reads a text back only up to its first NUL; CommonMark, too, has U+FFFD take its place. */
export function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}
