/** How a pattern with wildcards is read: a star stands for any number of items, another token for one. */
export interface Wildcards<Token, Item> {
  isStar(token: Token): boolean;
  fits(token: Token, item: Item): boolean;
}

/** Whether the pattern fits all the items; takes no longer than the product of their lengths, whatever the pattern. */
export function matchWildcards<Token, Item>(
  tokens: readonly Token[],
  items: readonly Item[],
  { isStar, fits }: Wildcards<Token, Item>,
): boolean {
  let at = 0;
  /** Behind the latest star, and the first item that it doesn't take. */
  let resume: { readonly token: number; item: number } | undefined;
  for (let index = 0; index < items.length;) {
    const token = tokens[at];
    const item = items[index];
    if (token !== undefined && isStar(token)) {
      resume = { token: ++at, item: index };
    } else if (token !== undefined && item !== undefined && fits(token, item)) {
      at++;
      index++;
    } else if (resume !== undefined) {
      index = ++resume.item;
      at = resume.token;
    } else return false;
  }
  return tokens.slice(at).every(isStar);
}
