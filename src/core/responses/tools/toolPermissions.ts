import { t } from "@vscode/l10n";
import * as v from "valibot";

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

/** Where a tool runs without confirmation. */
interface PermissionScope {
  readonly kind: "workspace" | "conversation";
  /** The conversation's ID, or the URIs of the workspace's folders or of its file; empty for windows without one. */
  readonly id: string;
}

/** What was allowed beyond a single call. */
export interface ToolPermission extends ToolIdentity {
  readonly scope: PermissionScope;
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
  change(change: (stored: unknown) => readonly ToolPermission[]): Promise<void>;
}

interface ToolPermissionsContext {
  readonly store: ToolPermissionStore;
  /** The current workspace. */
  workspace(): string;
}

/** Number of permissions that are kept; older ones are asked for again. */
const mostPermissions = 1_000;

const { array, object, picklist, string } = v;

const rule = array(
  object({
    ...{ name: string(), provider: string(), fingerprint: string() },
    scope: object({ kind: picklist(["workspace", "conversation"]), id: string() }),
  }),
);

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
    const workspace = this.#context.workspace();
    return (await this.list()).filter(
      ({ scope: { kind, id } }) => id === (kind === "workspace" ? workspace : conversationId),
    );
  }

  /** Resolves once the permission is stored, whatever happens next. */
  allowInConversation(tool: ToolIdentity, conversationId: string): Promise<void> {
    return this.#allow(tool, { kind: "conversation", id: conversationId });
  }

  /** Resolves once the permission is stored, whatever happens next. */
  allowInWorkspace(tool: ToolIdentity): Promise<void> {
    return this.#allow(tool, { kind: "workspace", id: this.#context.workspace() });
  }

  /** All permissions, in the order in which they were given. */
  async list(): Promise<readonly ToolPermission[]> {
    return parsePermissions(await this.#context.store.read());
  }

  /** These tools need confirmation again where they were allowed. */
  revoke(revoked: readonly ToolPermission[]): Promise<void> {
    const isRevoked = (permission: ToolPermission): boolean =>
      revoked.some((other) => isSameScope(other.scope, permission.scope) && isSameTool(other, permission));
    return this.#change((permissions) => permissions.filter((permission) => !isRevoked(permission)));
  }

  #allow({ name, provider, fingerprint }: ToolIdentity, scope: PermissionScope): Promise<void> {
    const added = { name, provider, fingerprint, scope };
    return this.#change((permissions) => {
      const others = permissions.filter(
        (other) => !(isSameScope(other.scope, scope) && isSameName(other, added)),
      );
      return [...others, added].slice(-mostPermissions);
    });
  }

  #change(change: (permissions: readonly ToolPermission[]) => readonly ToolPermission[]): Promise<void> {
    return this.#context.store.change((stored) => change(parsePermissions(stored)));
  }
}

function isSameName(one: ToolIdentity, other: ToolIdentity): boolean {
  return one.name === other.name && one.provider === other.provider;
}

function isSameTool(one: ToolIdentity, other: ToolIdentity): boolean {
  return isSameName(one, other) && one.fingerprint === other.fingerprint;
}

function isSameScope(one: PermissionScope, other: PermissionScope): boolean {
  return one.kind === other.kind && one.id === other.id;
}

/** Invalid data allows nothing. */
function parsePermissions(stored: unknown): readonly ToolPermission[] {
  const permissions = v.safeParse(rule, stored);
  return permissions.success ? permissions.output : [];
}
