/** UTF-16 units of a commit message that anybody would write. */
const longestMessage = 10_000;

/** The commit message in an answer: what stands in its only code block, else all of it. Undefined where it is none. */
export function commitMessageOf(answer: string): string | undefined {
  const blocks = [...answer.matchAll(/^(`{3,}|~{3,})[^\n`]*\n(?:([^]*?)\n)?\1[ \t]*$/gm)];
  const text = blocks.length === 1 ? (blocks[0]?.[2] ?? "") : answer;
  const message = text.trim();
  return message === "" || message.length > longestMessage ? undefined : message;
}
