/** Port: names of the tools that need no confirmation, kept over restarts. */
export interface ToolPermissionStore {
  read(): readonly string[];
  write(names: readonly string[]): void;
}

/** Which tools run without being asked for: always, or until VS Code ends in one conversation. */
export class ToolPermissions {
  readonly #store: ToolPermissionStore;
  readonly #ofConversations = new Map<string, Set<string>>();

  constructor(store: ToolPermissionStore) {
    this.#store = store;
  }

  has(name: string, conversationId: string): boolean {
    return this.#ofConversations.get(conversationId)?.has(name) === true || this.#store.read().includes(name);
  }

  allowInConversation(name: string, conversationId: string): void {
    const names = this.#ofConversations.get(conversationId) ?? new Set();
    this.#ofConversations.set(conversationId, names.add(name));
  }

  allowAlways(name: string): void {
    const names = this.#store.read();
    if (!names.includes(name)) this.#store.write([...names, name]);
  }

  /** Every tool asks again. Returns how many did not have to before. */
  reset(): number {
    const names = new Set([
      ...this.#store.read(),
      ...[...this.#ofConversations.values()].flatMap((set) => [...set]),
    ]);
    this.#ofConversations.clear();
    this.#store.write([]);
    return names.size;
  }
}
