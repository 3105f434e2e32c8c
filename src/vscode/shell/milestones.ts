import * as vscode from "vscode";

/** What completes a step of the walkthrough, besides what is stored: see `contributes.walkthroughs` in package.json. */
type Milestone = "connectionChecked" | "responseCompleted";

/** Completes the step for good: VS Code remembers it. */
export function reachMilestone(milestone: Milestone): void {
  void vscode.commands.executeCommand("setContext", `inferenceGateway.${milestone}`, true);
}
