import { isRecord, stringField } from "../json.ts";

/** Tools that need no confirmation in one conversation. */
export interface ConversationPermissions {
  readonly conversationId: string;
  readonly tools: readonly string[];
}

/** Everything that was allowed for longer than one call. */
export interface StoredPermissions {
  /** Names of the tools that need no confirmation anywhere. */
  readonly always: readonly string[];
  /** The one that was changed last is at the end. */
  readonly conversations: readonly ConversationPermissions[];
}

/** Port: what is kept over restarts. Never with the conversations: those are exported and imported. */
export interface ToolPermissionStore {
  read(): unknown;
  /** Resolves once it is on disk. Rejects where it can't be written. */
  write(permissions: StoredPermissions): Promise<void>;
}

/** Conversations whose permissions are kept; an older one asks again. */
const maxConversations = 100;

/** Which tools run without being asked for: always, or in one conversation. */
export class ToolPermissions {
  readonly #store: ToolPermissionStore;

  constructor(store: ToolPermissionStore) {
    this.#store = store;
  }

  has(name: string, conversationId: string): boolean {
    const permissions = this.#read();
    return permissions.always.includes(name) || allowedIn(permissions, conversationId).includes(name);
  }

  /** Resolves once the permission is kept, whatever happens next. */
  async allowInConversation(name: string, conversationId: string): Promise<void> {
    const permissions = this.#read();
    const tools = [...new Set([...allowedIn(permissions, conversationId), name])];
    const others = permissions.conversations.filter((entry) => entry.conversationId !== conversationId);
    const conversations = [...others, { conversationId, tools }].slice(-maxConversations);
    await this.#store.write({ ...permissions, conversations });
  }

  /** Resolves once the permission is kept, whatever happens next. */
  async allowAlways(name: string): Promise<void> {
    const permissions = this.#read();
    await this.#store.write({ ...permissions, always: [...new Set([...permissions.always, name])] });
  }

  /** Every tool asks again. Returns how many did not have to before. */
  async reset(): Promise<number> {
    const { always, conversations } = this.#read();
    const names = new Set([...always, ...conversations.flatMap(({ tools }) => tools)]);
    await this.#store.write({ always: [], conversations: [] });
    return names.size;
  }

  #read(): StoredPermissions {
    return parsePermissions(this.#store.read());
  }
}

function allowedIn({ conversations }: StoredPermissions, conversationId: string): readonly string[] {
  return conversations.find((entry) => entry.conversationId === conversationId)?.tools ?? [];
}

/** What can't be understood allows nothing. */
function parsePermissions(stored: unknown): StoredPermissions {
  if (!isRecord(stored)) return { always: [], conversations: [] };
  const { always, conversations } = stored;
  return {
    always: strings(always),
    conversations: (Array.isArray(conversations) ? conversations : []).filter(isRecord).flatMap((entry) => {
      const conversationId = stringField(entry, "conversationId");
      return conversationId === undefined ? [] : [{ conversationId, tools: strings(entry["tools"]) }];
    }),
  };
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
}
