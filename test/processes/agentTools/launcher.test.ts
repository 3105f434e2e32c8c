import assert from "node:assert/strict";
import type { McpConfigurationForm } from "../../../src/processes/agentTools/launcher.ts";
import { isTranslocated, mcpConfiguration } from "../../../src/processes/agentTools/launcher.ts";

const windowsCommand = {
  command: String.raw`C:\a & b\Code.exe`,
  args: [String.raw`C:\c^ %d%\x.mjs`],
  env: { ELECTRON_RUN_AS_NODE: "1" },
};
const command = "/home/An O'Neil/inference-gateway-mcp";

describe("The MCP configuration for another agent", () => {
  it("is JSON in the form that most agents read", () => {
    const text = mcpConfiguration("json", { command, args: [] }, "linux");
    assert.deepEqual(JSON.parse(text), { mcpServers: { "inference-gateway": { command, args: [] } } });
  });

  it("is JSON in the form that VS Code, Zed and opencode read", () => {
    const args = ["/d", "a b"];
    const read = (form: "vscode" | "zed" | "opencode"): unknown =>
      JSON.parse(mcpConfiguration(form, { command, args }, "linux"));
    const name = "inference-gateway";
    assert.deepEqual(read("vscode"), { servers: { [name]: { type: "stdio", command, args } } });
    assert.deepEqual(read("zed"), {
      context_servers: { [name]: { source: "custom", command, args, env: {} } },
    });
    assert.deepEqual(read("opencode"), {
      mcp: { servers: { [name]: { type: "local", command: [command, ...args] } } },
    });
  });

  it("is a command whose path survives the shell", () => {
    assert.equal(
      mcpConfiguration("claude", { command, args: [] }, "linux"),
      String.raw`claude mcp add --scope user inference-gateway -- '/home/An O'\''Neil/inference-gateway-mcp'` +
        "\n",
    );
    assert.equal(
      mcpConfiguration("claude", windowsCommand, "win32"),
      String.raw`claude mcp add --env ELECTRON_RUN_AS_NODE=1 --scope user inference-gateway -- "C:\a & b\Code.exe" "C:\c^ %d%\x.mjs"` +
        "\n",
    );
  });

  it("starts VS Code's own program on Windows, without a shell that gives characters of the path a meaning", () => {
    const { command: program, args, env } = windowsCommand;
    const read = (form: McpConfigurationForm): unknown =>
      JSON.parse(mcpConfiguration(form, windowsCommand, "win32"));
    const name = "inference-gateway";
    assert.deepEqual(read("json"), { mcpServers: { [name]: { command: program, args, env } } });
    assert.deepEqual(read("vscode"), { servers: { [name]: { type: "stdio", command: program, args, env } } });
    assert.deepEqual(read("opencode"), {
      mcp: { servers: { [name]: { type: "local", command: [program, ...args], environment: env } } },
    });
  });

  it("is TOML for Codex", () => {
    assert.equal(
      mcpConfiguration("codex", { command: "C:\\a\\x.exe", args: [], env: windowsCommand.env }, "win32"),
      String.raw`[mcp_servers.inference-gateway]|command = "C:\\a\\x.exe"|args = []|env = { ELECTRON_RUN_AS_NODE = "1" }|`.replaceAll(
        "|",
        "\n",
      ),
    );
  });

  it("isn't offered while macOS runs VS Code from a temporary place", () => {
    const app = "Visual Studio Code.app/Contents/MacOS/Electron";
    assert.ok(isTranslocated(`/private/var/folders/x/T/AppTranslocation/5A/d/${app}`));
    assert.ok(!isTranslocated(`/Applications/${app}`));
  });
});
