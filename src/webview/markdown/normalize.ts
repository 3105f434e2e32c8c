/** Converts line ends to `\n` and makes NUL visible, as the parser would, for text that arrives in pieces. */
export class Normalizer {
  #endedWithReturn = false;

  push(text: string): string {
    if (text === "") return "";
    const start = this.#endedWithReturn && text.startsWith("\n") ? 1 : 0;
    this.#endedWithReturn = text.endsWith("\r");
    return text.slice(start).replace(/\r\n?/g, "\n").replace(/\0/g, "\uFFFD");
  }
}
