import * as vscode from "vscode";
import { registeredName, toolNames } from "../../core/agentTools/toolNames.ts";
import type { ToolName } from "../../core/agentTools/toolNames.ts";
import { registerCommands } from "../shell/registerCommands.ts";
import type { AgentTools, AgentToolsContext } from "./agentTools.ts";
import type { AgentSharing, McpAccess } from "./mcpAccess.ts";

const sharedKey = "inferenceGateway.sharesToolsWithAgents";
// As in package.json.
const participantId = "inference-gateway.gpu";

/**
 * Offers the tools to the agents of VS Code and to other extensions, and to agents outside VS Code as an MCP server,
 * which VS Code isn't given: its agents would have every tool twice. The implementation is loaded when one is called.
 */
export function registerAgentTools(context: AgentToolsContext): vscode.Disposable {
  let tools: Promise<AgentTools> | undefined;
  const load = (): Promise<AgentTools> =>
    (tools ??= import("./agentTools.ts").then((loaded) => new loaded.AgentTools(context)));
  const sharing: AgentSharing = {
    get isOn() {
      return context.globalState.get<unknown>(sharedKey) === true;
    },
    set: async (isOn) => context.globalState.update(sharedKey, isOn ? true : undefined),
  };
  let access: Promise<McpAccess> | undefined;
  const loadAccess = (): Promise<McpAccess> =>
    (access ??= import("./mcpAccess.ts").then((loaded) => new loaded.McpAccess(context, sharing, load)));
  // Connected agents outside VS Code find this window as soon as it is open.
  if (sharing.isOn) void loadAccess().then((mcp) => mcp.share());
  return vscode.Disposable.from(
    ...toolNames.map((name) => vscode.lm.registerTool(registeredName(name), createTool(name, load))),
    ...registerParticipant(context, load),
    registerCommands("agentTools", { connectAgents: async () => (await loadAccess()).connectAgents() }),
    { dispose: () => void tools?.then((loaded) => loaded.dispose()) },
    { dispose: () => void access?.then((loaded) => loaded.dispose()) },
  );
}

function createTool(name: ToolName, load: () => Promise<AgentTools>): vscode.LanguageModelTool<object> {
  return {
    prepareInvocation: async ({ input }) => (await load()).prepare(name, input),
    invoke: async ({ input }, token) => (await load()).invoke(name, input, token),
  };
}

/** “@gpu” in VS Code's own chat, where there is one. */
function registerParticipant(
  context: AgentToolsContext,
  load: () => Promise<AgentTools>,
): readonly vscode.Disposable[] {
  if (!("chat" in vscode) || !("createChatParticipant" in vscode.chat)) return [];
  const participant = vscode.chat.createChatParticipant(participantId, async (...turn) => {
    const { Participant } = await import("./participant.ts");
    return new Participant(context, await load()).respond(...turn);
  });
  participant.iconPath = new vscode.ThemeIcon("server-environment");
  participant.followupProvider = {
    provideFollowups: async (result) => (await import("./participant.ts")).followups(result),
  };
  return [participant];
}
