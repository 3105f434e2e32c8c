import { isRecord, stringField } from "../../kernel/json.ts";
import type { ContributedTool } from "./toolChoices.ts";

/** Maximum length of a provider's identifier, in UTF-16 units. */
const maxLength = 300;

/**
 * The provider of a tool: `extension:publisher.name`, `mcp:server`, or empty for VS Code itself and if it is unknown.
 * VS Code's API has no guaranteed field for it, so the fields of its versions are tried in turn. If several extensions
 * claim the name, they count as a separate provider.
 */
export function toolProvider(tool: unknown, contributed: readonly ContributedTool[]): string {
  if (!isRecord(tool)) return "";
  const name = stringField(tool, "name") ?? "";
  const provider =
    fromSource(tool["source"]) ??
    fromManifests(name, contributed) ??
    fromReference(stringField(tool, "fullReferenceName")) ??
    fromName(name) ??
    "";
  return provider.slice(0, maxLength);
}

function fromSource(source: unknown): string | undefined {
  if (!isRecord(source)) return undefined;
  const id = stringField(source, "id");
  if (id !== undefined) return `extension:${id}`;
  const server = stringField(source, "name") ?? stringField(source, "label");
  return server === undefined ? undefined : `mcp:${server}`;
}

function fromManifests(name: string, contributed: readonly ContributedTool[]): string | undefined {
  const ids = contributed.filter((tool) => tool.name === name).map(({ extensionId }) => extensionId);
  return ids.length === 0 ? undefined : `extension:${[...new Set(ids)].toSorted().join(",")}`;
}

/** Such as `server/tool`; VS Code's own tools have one too, with the name of their tool set. */
function fromReference(reference: string | undefined): string | undefined {
  const end = reference?.lastIndexOf("/") ?? -1;
  return reference === undefined || end <= 0 ? undefined : `set:${reference.slice(0, end)}`;
}

/** VS Code names the tools of MCP servers `mcp_server_tool`. */
function fromName(name: string): string | undefined {
  const server = /^mcp_([^_]+)_/.exec(name)?.[1];
  return server === undefined ? undefined : `mcp:${server}`;
}
