import assert from "node:assert/strict";
import { mcpConfiguration } from "../../../src/processes/agentTools/launcher.ts";

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
      mcpConfiguration("claude", { command: "cmd", args: ["/c", "C:\\a b\\x.cmd"] }, "win32"),
      'claude mcp add --scope user inference-gateway -- "cmd" "/c" "C:\\a b\\x.cmd"\n',
    );
  });

  it("is TOML for Codex", () => {
    assert.equal(
      mcpConfiguration("codex", { command: "cmd", args: ["/c", "C:\\a\\x.cmd"] }, "win32"),
      '[mcp_servers.inference-gateway]\ncommand = "cmd"\nargs = ["/c","C:\\\\a\\\\x.cmd"]\n',
    );
  });
});
