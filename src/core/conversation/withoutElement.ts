/** The text without everything between these two marks, including the marks. An element that is never closed stays. */
export function withoutElement(text: string, open: string, close: string): string {
  const kept: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start === -1 ? -1 : text.indexOf(close, start + open.length);
    if (end === -1) return kept.length === 0 ? text : kept.join("") + text.slice(from);
    kept.push(text.slice(from, start));
    from = end + close.length;
  }
}
