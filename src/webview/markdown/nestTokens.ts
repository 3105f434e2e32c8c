import type { Token } from "markdown-it";
import type { Tree } from "./tree.ts";

/** What becomes of tokens. */
export interface TokenRenderer {
  /** Adds a token that holds no others to what stands before it. */
  append(siblings: Tree[], token: Token): void;
  close(open: Token, children: readonly Tree[]): readonly Tree[];
}

/** The trees that tokens describe by opening and closing. */
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
