/** The tools for agents, in the order in which they are listed. All that is needed to register them at the start. */
export const toolNames = [
  "list_servers",
  "get_server",
  "get_gpu_usage",
  "list_models",
  "check_gateway",
  "search_conversations",
] as const;

/** The name of a tool for agents, as MCP clients and VS Code call it. */
export type ToolName = (typeof toolNames)[number];

/** Whether there is a tool with this name. */
export function isToolName(name: string): name is ToolName {
  return toolNames.some((known) => known === name);
}

/** The name in VS Code's registry, which is shared with all other extensions. */
export function registeredName(name: ToolName): `inferenceGateway_${ToolName}` {
  return `inferenceGateway_${name}`;
}
