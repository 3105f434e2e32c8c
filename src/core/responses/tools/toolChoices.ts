import { isRecord, stringField } from "../../kernel/json.ts";

/** A tool as the user chooses it. */
export interface ToolChoice {
  readonly name: string;
  /** What people call it. */
  readonly title: string;
  readonly description: string;
  /** Where it comes from: an extension, an MCP server; empty for VS Code itself. */
  readonly source: string;
}

/** What extensions say of their tools in their manifests. */
export interface ContributedTool {
  readonly name: string;
  readonly title: string | undefined;
  /** What people call the extension. */
  readonly extension: string;
  /** Its publisher and name. */
  readonly extensionId: string;
}

/** Reads `contributes.languageModelTools` of an extension's manifest. */
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

/** The editor's tools for choosing, by their sources, those of VS Code itself first. */
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

/** VS Code has exposed the source of a tool since 1.105, without promising its shape. */
function sourceLabel(source: unknown): string | undefined {
  return isRecord(source) ? stringField(source, "label") : undefined;
}
