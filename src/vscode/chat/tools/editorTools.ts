import * as vscode from "vscode";
import type { EditorTools } from "../../../core/tools/toolBox.ts";

/** VS Code's tool registry: built-in tools, those of other extensions and of MCP servers. */
export const editorTools: EditorTools = {
  list: () => vscode.lm.tools,
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
