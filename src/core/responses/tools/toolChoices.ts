import { isRecord, stringField } from "../../kernel/json.ts";

/** A tool as a choice for the user. */
export interface ToolChoice {
  readonly name: string;
  /** Its display name. */
  readonly title: string;
  readonly description: string;
  /** The extension or MCP server that provides it; empty for VS Code itself. */
  readonly source: string;
}

/** A tool declared in an extension's manifest. */
export interface ContributedTool {
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
): readonly ToolChoice[] {
  const byName = new Map(contributed.map((tool) => [tool.name, tool]));
  return tools
    .filter(isRecord)
    .flatMap((tool): readonly ToolChoice[] => {
      const name = stringField(tool, "name");
      if (name === undefined) return [];
      const known = byName.get(name);
      return [
        {
          name,
          title: known?.title ?? name,
          description: (stringField(tool, "description") ?? "").replace(/\s+/g, " ").trim(),
          source: sourceLabel(tool["source"]) ?? known?.extension ?? "",
        },
      ];
    })
    .toSorted((a, b) => a.source.localeCompare(b.source) || a.title.localeCompare(b.title));
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
