import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { contributedTools } from "../../../core/responses/tools/toolChoices.ts";
import { toolProvider } from "../../../core/responses/tools/toolProvider.ts";
import type { EditorTools } from "../../../core/responses/tools/toolBox.ts";

/** VS Code's tool registry: built-in tools, those of other extensions and of MCP servers. */
export const editorTools: EditorTools = {
  list: () => vscode.lm.tools,
  identify(name) {
    const tool = vscode.lm.tools.find((candidate) => candidate.name === name);
    if (tool === undefined) return undefined;
    const manifests = vscode.extensions.all.map(({ packageJSON }): unknown => packageJSON);
    const provider = toolProvider(tool, manifests.flatMap(contributedTools));
    const facts = JSON.stringify([provider, name, tool.description, tool.inputSchema ?? null]);
    return { name, provider, fingerprint: createHash("sha256").update(facts).digest("hex") };
  },
  invoke(name, input) {
    const cancellation = new vscode.CancellationTokenSource();
    const invoke = async (): Promise<unknown> => {
      try {
        const options = { toolInvocationToken: undefined, input };
        return (await vscode.lm.invokeTool(name, options, cancellation.token)).content;
      } finally {
        cancellation.dispose();
      }
    };
    return { content: invoke(), stop: () => cancellation.cancel() };
  },
};
