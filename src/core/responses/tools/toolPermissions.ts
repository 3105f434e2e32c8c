import { t } from "@vscode/l10n";
import { isRecord, recordsIn, stringField } from "../../kernel/json.ts";

/**
 * What a permission applies to: one tool of one provider in its current form. A tool of the same name from another
 * provider, or one whose description or input has changed, is a different tool.
 */
export interface ToolIdentity {
  readonly name: string;
  /** The extension or MCP server that provides it; empty for VS Code itself and if VS Code doesn't specify it. */
  readonly provider: string;
  /** A hash of its provider, name and description, and after a space one of its schema. */
  readonly fingerprint: string;
}

/** Tools that need no confirmation in one conversation. */
interface ConversationPermissions {
  readonly conversationId: string;
  readonly tools: readonly ToolIdentity[];
}

/** A tool that needs no confirmation in one workspace. */
interface WorkspacePermission extends ToolIdentity {
  /** URIs of its folders or its file; empty for windows without a workspace. */
  readonly workspace: string;
}

/** Everything that was allowed beyond a single call. */
export interface StoredPermissions {
  readonly workspaces: readonly WorkspacePermission[];
  /** The one changed last is at the end. */
  readonly conversations: readonly ConversationPermissions[];
}

/** One permission, for the user to review. */
export interface ToolPermission extends ToolIdentity {
  readonly scope:
    | { readonly kind: "workspace"; readonly workspace: string }
    | { readonly kind: "conversation"; readonly conversationId: string };
}

/**
 * Port: permissions that persist across restarts. Never stored with the conversations, because those are exported and
 * imported.
 */
export interface ToolPermissionStore {
  /** Undefined if nothing is stored, or if it can't be read. */
  read(): Promise<unknown>;
  /**
   * Replaces what is stored, in one step for all windows. Resolves once it is on disk. Rejects if it can't be written,
   * or if the store is locked for seconds.
   */
  change(change: (stored: unknown) => StoredPermissions): Promise<void>;
}

interface ToolPermissionsContext {
  readonly store: ToolPermissionStore;
  /** The current workspace. */
  workspace(): string;
}

/** Number of conversations whose permissions are kept; older ones ask again. */
const maxConversations = 100;
/** Number of workspace permissions that are kept; older ones are asked for again. */
const maxWorkspacePermissions = 500;

/** The tools that run without confirmation, in one workspace or in one conversation. */
export class ToolPermissions {
  readonly #context: ToolPermissionsContext;

  constructor(context: ToolPermissionsContext) {
    this.#context = context;
  }

  /** Whether the tool may run without asking, in this conversation or anywhere in the open workspace. */
  async has(tool: ToolIdentity, conversationId: string): Promise<boolean> {
    return (await this.#allowed(conversationId)).some((other) => isSameTool(other, tool));
  }

  /** What is different about a tool that was allowed in another form, for display. */
  async changeOf(tool: ToolIdentity, conversationId: string): Promise<string | undefined> {
    const before = (await this.#allowed(conversationId)).findLast((other) => isSameName(other, tool));
    if (before === undefined || isSameTool(before, tool)) return undefined;
    const [about, input] = tool.fingerprint.split(" ");
    const [aboutBefore, inputBefore] = before.fingerprint.split(" ");
    if (about === aboutBefore) return t("input");
    return input === inputBefore ? t("description") : t("description and input");
  }

  async #allowed(conversationId: string): Promise<readonly ToolIdentity[]> {
    const { workspaces, conversations } = await this.#read();
    const workspace = this.#context.workspace();
    return [
      ...workspaces.filter((entry) => entry.workspace === workspace),
      ...conversations
        .filter((entry) => entry.conversationId === conversationId)
        .flatMap(({ tools }) => tools),
    ];
  }

  /** Resolves once the permission is stored, whatever happens next. */
  async allowInConversation(tool: ToolIdentity, conversationId: string): Promise<void> {
    await this.#change(({ workspaces, conversations }) => {
      const before = conversations.find((entry) => entry.conversationId === conversationId)?.tools ?? [];
      const tools = [...before.filter((other) => !isSameName(other, tool)), plain(tool)];
      const others = conversations.filter((entry) => entry.conversationId !== conversationId);
      return {
        workspaces,
        conversations: [...others, { conversationId, tools }].slice(-maxConversations),
      };
    });
  }

  /** Resolves once the permission is stored, whatever happens next. */
  async allowInWorkspace(tool: ToolIdentity): Promise<void> {
    const workspace = this.#context.workspace();
    await this.#change(({ workspaces, conversations }) => {
      const others = workspaces.filter((entry) => entry.workspace !== workspace || !isSameName(entry, tool));
      const added = [...others, { ...plain(tool), workspace }].slice(-maxWorkspacePermissions);
      return { workspaces: added, conversations };
    });
  }

  /** All permissions, those of workspaces first. */
  async list(): Promise<readonly ToolPermission[]> {
    return listPermissions(await this.#read());
  }

  /** These tools need confirmation again where they were allowed. */
  async revoke(permissions: readonly ToolPermission[]): Promise<void> {
    const isRevoked = (scope: ToolPermission["scope"], tool: ToolIdentity): boolean =>
      permissions.some((revoked) => isSameScope(revoked.scope, scope) && isSameTool(revoked, tool));
    await this.#change(({ workspaces, conversations }) => ({
      workspaces: workspaces.filter(
        (entry) => !isRevoked({ kind: "workspace", workspace: entry.workspace }, entry),
      ),
      conversations: conversations
        .map(({ conversationId, tools }) => ({
          conversationId,
          tools: tools.filter((tool) => !isRevoked({ kind: "conversation", conversationId }, tool)),
        }))
        .filter(({ tools }) => tools.length > 0),
    }));
  }

  async #read(): Promise<StoredPermissions> {
    return parsePermissions(await this.#context.store.read());
  }

  #change(change: (permissions: StoredPermissions) => StoredPermissions): Promise<void> {
    return this.#context.store.change((stored) => change(parsePermissions(stored)));
  }
}

function listPermissions({ workspaces, conversations }: StoredPermissions): readonly ToolPermission[] {
  return [
    ...workspaces.map((entry): ToolPermission => ({
      ...plain(entry),
      scope: { kind: "workspace", workspace: entry.workspace },
    })),
    ...conversations.flatMap(({ conversationId, tools }) =>
      tools.map((tool): ToolPermission => ({
        ...plain(tool),
        scope: { kind: "conversation", conversationId },
      })),
    ),
  ];
}

function plain({ name, provider, fingerprint }: ToolIdentity): ToolIdentity {
  return { name, provider, fingerprint };
}

function isSameName(one: ToolIdentity, other: ToolIdentity): boolean {
  return one.name === other.name && one.provider === other.provider;
}

function isSameTool(one: ToolIdentity, other: ToolIdentity): boolean {
  return isSameName(one, other) && one.fingerprint === other.fingerprint;
}

function isSameScope(one: ToolPermission["scope"], other: ToolPermission["scope"]): boolean {
  return one.kind === "workspace"
    ? other.kind === "workspace" && one.workspace === other.workspace
    : other.kind === "conversation" && one.conversationId === other.conversationId;
}

/** Invalid data allows nothing. */
function parsePermissions(stored: unknown): StoredPermissions {
  if (!isRecord(stored)) return { workspaces: [], conversations: [] };
  return {
    workspaces: recordsIn(stored["workspaces"]).flatMap((entry) => {
      const workspace = stringField(entry, "workspace");
      return workspace === undefined ? [] : parseTool(entry).map((tool) => ({ ...tool, workspace }));
    }),
    conversations: recordsIn(stored["conversations"]).flatMap((entry) => {
      const conversationId = stringField(entry, "conversationId");
      const tools = recordsIn(entry["tools"]).flatMap(parseTool);
      return conversationId === undefined || tools.length === 0 ? [] : [{ conversationId, tools }];
    }),
  };
}

function parseTool(entry: Readonly<Record<string, unknown>>): readonly ToolIdentity[] {
  const name = stringField(entry, "name");
  const provider = stringField(entry, "provider");
  const fingerprint = stringField(entry, "fingerprint");
  return name === undefined || provider === undefined || fingerprint === undefined
    ? []
    : [{ name, provider, fingerprint }];
}
