import type { Token } from "markdown-it";
import type { Tree } from "./tree.ts";

/** Turns tokens into trees. */
export interface TokenRenderer {
  /** Adds a token without content of its own to the preceding siblings. */
  append(siblings: Tree[], token: Token): void;
  close(open: Token, children: readonly Tree[]): readonly Tree[];
}

/** The trees that opening and closing tokens describe. */
export function nestTokens(tokens: readonly Token[], { append, close }: TokenRenderer): readonly Tree[] {
  const root: Tree[] = [];
  const stack: { readonly open: Token; readonly children: Tree[] }[] = [];
  for (const token of tokens) {
    if (token.nesting > 0) stack.push({ open: token, children: [] });
    else if (token.nesting === 0) append(stack.at(-1)?.children ?? root, token);
    else {
      const closed = stack.pop();
      if (closed !== undefined) (stack.at(-1)?.children ?? root).push(...close(closed.open, closed.children));
    }
  }
  return root;
}
