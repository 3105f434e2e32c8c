/** How an agent starts the MCP server: as most of them read it, as a command for Claude Code, or as Codex reads it. */
export const mcpConfigurationForms = ["json", "claude", "codex"] as const;
export type McpConfigurationForm = (typeof mcpConfigurationForms)[number];

const serverName = "inference-gateway";

/** The text that the user pastes into the agent's configuration, or into a terminal. Ends with a line break. */
export function mcpConfiguration(
  form: McpConfigurationForm,
  { command, args }: { readonly command: string; readonly args: readonly string[] },
  platform: string,
): string {
  switch (form) {
    case "json":
      return `${JSON.stringify({ mcpServers: { [serverName]: { command, args } } }, undefined, 2)}\n`;
    case "claude": {
      const words = [command, ...args].map((word) => (platform === "win32" ? `"${word}"` : shellQuote(word)));
      return `claude mcp add --scope user ${serverName} -- ${words.join(" ")}\n`;
    }
    case "codex":
      // JSON strings are also strings of TOML.
      return `[mcp_servers.${serverName}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  }
}

function shellQuote(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
