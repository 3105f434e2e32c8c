/** UTF-16 units of the longest commit message that anyone would write. */
const longestMessage = 10_000;

/**
 * The commit message in a response: the content of its only code block, otherwise all of it. Undefined if it isn't a
 * commit message.
 */
export function commitMessageOf(response: string): string | undefined {
  const blocks = codeBlocksOf(response);
  const text = blocks.length === 1 ? (blocks[0] ?? "") : response;
  const message = text.trim();
  return message === "" || message.length > longestMessage ? undefined : message;
}

/** The content of each closed code block. */
function codeBlocksOf(text: string): readonly string[] {
  const found: string[] = [];
  let open: { readonly mark: string; readonly lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const mark = open === undefined ? /^(`{3,}|~{3,}(?!~))[^`]*$/.exec(line)?.[1] : undefined;
    if (mark !== undefined) open = { mark, lines: [] };
    else if (open !== undefined && line.trimEnd() === open.mark) {
      found.push(open.lines.join("\n"));
      open = undefined;
    } else open?.lines.push(line);
  }
  return found;
}
