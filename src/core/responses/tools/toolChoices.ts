import { isRecord, stringField } from "../../kernel/json.ts";

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

/** A tool as a choice for the user. */
export interface SelectableTool {
  readonly name: string;
  /** Its display name. */
  readonly title: string;
  readonly description: string;
  /** The extension or MCP server that provides it; empty for VS Code itself. */
  readonly source: string;
  readonly icon: "extensions" | "mcp" | "vscode";
}

/** A tool declared in an extension's manifest. */
interface ContributedTool {
  readonly name: string;
  readonly title: string | undefined;
  /** The display name of the extension. */
  readonly extension: string;
  /** Its publisher and name. */
  readonly extensionId: string;
}

/** Parses `contributes.languageModelTools` of an extension's manifest. */
export function contributedTools(manifest: unknown): readonly ContributedTool[] {
  if (!isRecord(manifest) || !isRecord(manifest["contributes"])) return [];
  const tools = manifest["contributes"]["languageModelTools"];
  if (!Array.isArray(tools)) return [];
  const name = stringField(manifest, "name") ?? "";
  const extension = stringField(manifest, "displayName") ?? name;
  const extensionId = `${stringField(manifest, "publisher") ?? ""}.${name}`.toLowerCase();
  return tools.filter(isRecord).flatMap((tool) => {
    const toolName = stringField(tool, "name");
    const title = stringField(tool, "displayName");
    return toolName === undefined ? [] : [{ name: toolName, title, extension, extensionId }];
  });
}

/** The editor's tools to choose from, grouped by source, those of VS Code itself first. */
export function toolChoices(
  tools: readonly unknown[],
  contributed: readonly ContributedTool[],
): readonly SelectableTool[] {
  const byName = new Map(contributed.map((tool) => [tool.name, tool]));
  return tools
    .filter(isRecord)
    .flatMap((tool): readonly SelectableTool[] => {
      const name = stringField(tool, "name");
      if (name === undefined) return [];
      const known = byName.get(name);
      const providers = [toolProvider(tool, contributed), fromName(name) ?? ""];
      const server = providers.find((provider) => provider.startsWith("mcp:"))?.slice("mcp:".length);
      const source = sourceLabel(tool["source"]) ?? known?.extension ?? server ?? "";
      const description = (stringField(tool, "description") ?? "").replace(/\s+/g, " ").trim();
      const icon = server !== undefined ? "mcp" : source === "" ? "vscode" : "extensions";
      return [{ name, title: known?.title ?? readableName(name, server), description, source, icon }];
    })
    .toSorted((a, b) => a.source.localeCompare(b.source) || a.title.localeCompare(b.title));
}

/** The name of a tool that has no title, as words: `run_in_terminal` and `runInTerminal` are “Run in terminal”. */
function readableName(name: string, server: string | undefined): string {
  const own = server === undefined ? name : name.replace(`mcp_${server}_`, "");
  const words = own
    .replace(/(?<=\p{Ll})(?=\p{Lu})/gu, " ")
    .split(/[\s_-]+/u)
    .filter((word) => word !== "");
  const text = words.map((word) => (/\p{Lu}{2}/u.test(word) ? word : word.toLowerCase())).join(" ");
  return text === "" ? name : `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

/** VS Code has exposed the source of a tool since 1.105, but its shape isn't guaranteed. */
function sourceLabel(source: unknown): string | undefined {
  return isRecord(source) ? stringField(source, "label") : undefined;
}
/**
 * The names that the service accepts (1 to 64 letters, digits, `_` or `-`), each with the name in the editor. Names
 * that would collide get a number; the order of `names` doesn't matter, so that a tool keeps its name.
 */
export function wireNames(names: readonly string[]): ReadonlyMap<string, string> {
  const byWireName = new Map<string, string>();
  for (const name of [...new Set(names)].toSorted(exactNamesFirst)) {
    byWireName.set(freeName(cleanName(name), byWireName), name);
  }
  return byWireName;
}

function exactNamesFirst(left: string, right: string): number {
  const isExact = (name: string): number => (cleanName(name) === name ? 0 : 1);
  return isExact(left) - isExact(right) || (left < right ? -1 : left > right ? 1 : 0);
}

function cleanName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64);
  return clean === "" ? "tool" : clean;
}

function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  for (let number = 1; ; number++) {
    const candidate = number === 1 ? name : `${name.slice(0, 63 - String(number).length)}_${number}`;
    if (!taken.has(candidate)) return candidate;
  }
}
