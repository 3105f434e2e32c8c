import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import type { Tool } from "@modelcontextprotocol/sdk/types.js";
import { isToolName, toolNames } from "../../core/agentTools/toolNames.ts";
import type { ToolName } from "../../core/agentTools/toolNames.ts";
import { agentTools, inputSchema } from "../../core/agentTools/toolTable.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { ToolClient } from "./toolClient.ts";

/*
 * The MCP server as a process of its own, started by an agent. It knows no credential and makes no request: it describes
 * the tools and passes calls on to a window, which runs them.
 *
 * Arguments, both optional: the version, and the folder in which windows announce themselves (otherwise the one of this
 * file).
 */

/** Milliseconds for calls in progress after the client has closed its side. */
const lastCallsMs = 1_500;

const instructions =
  "Tools about the user's GPU servers, the models of their GPU cloud, the state of its services, and earlier conversations. They are read-only. Filter in the call rather than listing everything. A `problem` in a result is a sentence for the user.";

function describeTool(name: ToolName): Tool {
  const { title, description } = agentTools[name];
  const annotations = { title, readOnlyHint: true, openWorldHint: name !== "search_conversations" };
  return { name, title, description, inputSchema: { ...inputSchema(name), type: "object" }, annotations };
}

async function main([
  version = "1",
  folder = dirname(fileURLToPath(import.meta.url)),
]: readonly string[]): Promise<void> {
  const { stdin, stdout } = process;
  const client = new ToolClient(folder);
  const server = new Server(
    { name: "inference-gateway", title: "Inference Gateway", version },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: toolNames.map(describeTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }) => {
    const { name, arguments: input } = params;
    if (!isToolName(name))
      throw new McpError(ErrorCode.InvalidParams, `There is no tool “${sanitizeLabel(name, 80)}”.`);
    const agent = server.getClientVersion();
    const agentName = sanitizeLabel(agent?.title ?? agent?.name ?? "", 60);
    const { text, isError } = await client.call({ name, input, client: agentName }, signal);
    return { content: [{ type: "text", text }], isError };
  });
  // The transport closes only when the client sends a message that is too long.
  server.onclose = () => process.exit(1);
  stdout.on("error", () => process.exit(0));
  stdin.on("error", () => process.exit(0));
  // Only calls in progress keep the process running after that.
  stdin.on("end", () => void setTimeout(() => process.exit(0), lastCallsMs).unref());
  await server.connect(new StdioServerTransport());
}

await main(process.argv.slice(2));
