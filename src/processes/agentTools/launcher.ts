import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

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
}

const scriptName = "mcpServer.mjs";

/**
 * Writes the files that start the MCP server from outside VS Code, or updates them after the extension or VS Code was
 * updated: a copy of the server, and a small script that runs it.
 */
export function writeLauncher({
  folder,
  script,
  version,
  program,
  platform,
}: LauncherOptions): LauncherCommand {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeIfChanged(join(folder, scriptName), readFileSync(script, "utf8"));
  if (platform === "win32") {
    const path = join(folder, "inference-gateway-mcp.cmd");
    writeIfChanged(path, windowsScript(program, version));
    // Programs can't start a script without its interpreter. Without "call", cmd would remove the quotation marks
    // around a path with parentheses and spaces.
    return { command: "cmd", args: ["/d", "/c", "call", path] };
  }
  const path = join(folder, "inference-gateway-mcp");
  writeIfChanged(path, shellScript(folder, program, version));
  chmodSync(path, 0o700);
  return { command: path, args: [] };
}

/** Makes the launcher, and with it every copied configuration, unusable. */
export function removeLauncher(folder: string): void {
  for (const name of [scriptName, "inference-gateway-mcp", "inference-gateway-mcp.cmd"])
    rmSync(join(folder, name), { force: true });
}

function writeIfChanged(path: string, text: string): void {
  if (existsSync(path) && readFileSync(path, "utf8") === text) return;
  writeFileSync(path, text, { mode: 0o600 });
}

/** VS Code runs as Node.js with this variable. If it was removed, Node.js itself is tried. */
function shellScript(folder: string, program: string, version: string): string {
  return `#!/bin/sh
# Starts the MCP server of the VS Code extension Inference Gateway. The extension updates this file.
script=${quote(join(folder, scriptName))}
program=${quote(program)}
if [ -x "$program" ]; then
  ELECTRON_RUN_AS_NODE=1 exec "$program" "$script" ${quote(version)}
fi
exec node "$script" ${quote(version)}
`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

function windowsScript(program: string, version: string): string {
  const path = program.replaceAll("%", "%%");
  return [
    "@echo off",
    "rem Starts the MCP server of the VS Code extension Inference Gateway. The extension updates this file.",
    "chcp 65001 >nul",
    "setlocal",
    "set ELECTRON_RUN_AS_NODE=1",
    `if not exist "${path}" goto node`,
    `"${path}" "%~dp0${scriptName}" ${version}`,
    "exit /b %errorlevel%",
    ":node",
    `node "%~dp0${scriptName}" ${version}`,
    "exit /b %errorlevel%",
    "",
  ].join("\r\n");
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
  { command, args }: LauncherCommand,
  platform: NodeJS.Platform,
): string {
  const json = (section: string, server: object, around?: string): string => {
    const sections = { [section]: { [serverName]: server } };
    return `${JSON.stringify(around === undefined ? sections : { [around]: sections }, undefined, 2)}\n`;
  };
  switch (form) {
    case "json":
      return json("mcpServers", { command, args });
    case "vscode":
      return json("servers", { type: "stdio", command, args });
    case "zed":
      return json("context_servers", { source: "custom", command, args, env: {} });
    case "opencode":
      // Version 2 reads only this form, and version 1.18 reads it too.
      return json("servers", { type: "local", command: [command, ...args] }, "mcp");
    case "claude": {
      const words = [command, ...args].map((word) =>
        platform === "win32" ? `"${word}"` : /^[\w./-]+$/.test(word) ? word : quote(word),
      );
      return `claude mcp add --scope user ${serverName} -- ${words.join(" ")}\n`;
    }
    case "codex":
      // JSON strings are also strings of TOML.
      return `[mcp_servers.${serverName}]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n`;
  }
}
