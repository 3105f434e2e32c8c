/**
 * Finds the parents of a conversation's messages, which come in the order of their rows. Messages of files before
 * there were versions follow the message before them, and so does one whose parent is lost.
 */
export class Parents {
  readonly #known = new Set<string>();
  #before: string | undefined;

  /** @param column Empty for a first message, otherwise the parent's id as far as the writer knew it. */
  parentOf(id: string, column: unknown): { readonly parentId?: string } {
    const parentId = this.#find(column);
    this.#known.add(id);
    this.#before = id;
    return parentId === undefined ? {} : { parentId };
  }

  #find(column: unknown): string | undefined {
    if (column === "") return undefined;
    return typeof column === "string" && this.#known.has(column) ? column : this.#before;
  }
}
