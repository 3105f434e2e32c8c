const elisionStart = /^(?:(?:\/\/|#|--|;|\/\*|<!--|\{\/\*)\s*)?(?:\.{3}|…)/;
const elisionEnd = /(?:\.{3}|…)$/;
const elisionWords = /existing|rest|previous|remaining|unchanged|same|other|code|omitted/i;

/** How a line represents code that a model left out: as a comment, such as `// … existing code …`, or with only dots. */
export function elisionOf(line: string): "comment" | "dots" | undefined {
  const text = line
    .trim()
    .replace(/(?:\*\/\}?|-->)$/, "")
    .trimEnd();
  if (!elisionStart.test(text)) return undefined;
  const words = text.replace(elisionStart, "").replace(elisionEnd, "").trim();
  if (words !== "" && !(/^[\w' ,-]+$/.test(words) && elisionWords.test(words))) return undefined;
  return /^[.…]/.test(text) ? "dots" : "comment";
}
