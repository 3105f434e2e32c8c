import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../../core/kernel/shellWord.ts";
import { removeFile } from "../../storage/files/heldFile.ts";

interface LauncherOptions {
  /**
   * Where the launcher is kept, regardless of the installed version of the extension. Windows announce themselves here,
   * too.
   */
  readonly folder: string;
  /** The MCP server in the installed version of the extension. */
  readonly script: string;
  readonly version: string;
  /** The program that runs JavaScript: VS Code's own. */
  readonly program: string;
  readonly platform: NodeJS.Platform;
}

/** How another agent starts the MCP server. Contains no secret. */
export interface LauncherCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const scriptName = "mcpServer.mjs";
/** Makes VS Code's program run JavaScript. */
const runAsNode = { ELECTRON_RUN_AS_NODE: "1" };

/**
 * Writes the files that start the MCP server from outside VS Code, or updates them after the extension or VS Code was
 * updated: a copy of the server, and a small script that runs it except on Windows.
 */
export function writeLauncher({
  folder,
  script,
  version,
  program,
  platform,
}: LauncherOptions): LauncherCommand {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const scriptPath = join(folder, scriptName);
  const ownVersion = `process.argv[2] ??= ${JSON.stringify(version)};\n`;
  writeIfChanged(scriptPath, ownVersion + readFileSync(script, "utf8"));
  // Without a script: cmd would give characters of the path a meaning, and other shells would change its options.
  if (platform === "win32") return { command: program, args: [scriptPath], env: runAsNode };
  const path = join(folder, "inference-gateway-mcp");
  writeIfChanged(path, shellScript(scriptPath, program));
  chmodSync(path, 0o700);
  return { command: path, args: [] };
}

/** Makes the launcher, and with it every copied configuration, unusable. */
export function removeLauncher(folder: string): void {
  for (const name of [scriptName, "inference-gateway-mcp"]) removeFile(join(folder, name));
}

function writeIfChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  writeFileSync(path, text, { mode: 0o600 });
}

/**
 * VS Code runs as Node.js with this variable. If it was removed, Node.js itself is tried, also where it is installed for
 * agents that were started from the Dock or a menu.
 */
function shellScript(scriptPath: string, program: string): string {
  return `#!/bin/sh
# Starts the MCP server of the VS Code extension Inference Gateway. The extension updates this file.
script=${shellWord(scriptPath)}
program=${shellWord(program)}
if [ -x "$program" ]; then
  ELECTRON_RUN_AS_NODE=1 exec "$program" "$script"
fi
PATH="$PATH:/opt/homebrew/bin:/usr/local/bin:$HOME/.local/bin" exec node "$script"
`;
}

/**
 * Whether macOS runs the program from a temporary place, as it does with a downloaded app that wasn't moved. The place
 * changes with every start.
 */
export function isTranslocated(program: string): boolean {
  return program.includes("/AppTranslocation/");
}

/**
 * How an agent starts the MCP server: as most of them read it, as a command for Claude Code, or in a form of its own.
 */
export const mcpConfigurationForms = ["json", "claude", "codex", "vscode", "zed", "opencode"] as const;

/** A form in which the configuration of the MCP server can be copied. */
export type McpConfigurationForm = (typeof mcpConfigurationForms)[number];

const serverName = "inference-gateway";

/** The text that the user pastes into the agent's configuration, or into a terminal. Ends with a line break. */
export function mcpConfiguration(
  form: McpConfigurationForm,
  { command, args, env }: LauncherCommand,
  platform: NodeJS.Platform,
): string {
  const variables = Object.entries(env ?? {});
  const json = (section: string, server: object, around?: string): string => {
    const sections = { [section]: { [serverName]: server } };
    return `${JSON.stringify(around === undefined ? sections : { [around]: sections }, undefined, 2)}\n`;
  };
  switch (form) {
    case "json":
      return json("mcpServers", { command, args, env });
    case "vscode":
      return json("servers", { type: "stdio", command, args, env });
    case "zed":
      return json("context_servers", { source: "custom", command, args, env: env ?? {} });
    case "opencode":
      // Version 2 reads only this form, and version 1.18 reads it too.
      return json("servers", { type: "local", command: [command, ...args], environment: env }, "mcp");
    case "claude": {
      const words = [command, ...args].map((word) => (platform === "win32" ? `"${word}"` : shellWord(word)));
      // The name must not follow a variable, or it would be read as another one.
      const options = [...variables.map(([name, value]) => `--env ${name}=${value}`), "--scope user"].join(
        " ",
      );
      return `claude mcp add ${options} ${serverName} -- ${words.join(" ")}\n`;
    }
    case "codex": {
      // JSON strings are also strings of TOML.
      const pairs = variables.map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
      const lines = [
        `[mcp_servers.${serverName}]`,
        `command = ${JSON.stringify(command)}`,
        `args = ${JSON.stringify(args)}`,
        ...(pairs.length === 0 ? [] : [`env = { ${pairs.join(", ")} }`]),
      ];
      return `${lines.join("\n")}\n`;
    }
  }
}
