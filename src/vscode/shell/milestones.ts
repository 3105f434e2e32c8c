import * as vscode from "vscode";
import { setContextKey } from "./contextKey.ts";

/** What completes a step of the walkthrough, besides what is stored: see `contributes.walkthroughs` in package.json. */
type Milestone = "connectionChecked" | "responseCompleted";

/** Completes the step for good: VS Code remembers it. */
export function reachMilestone(milestone: Milestone): void {
  setContextKey(`inferenceGateway.${milestone}`, true);
}

/**
 * Opens the walkthrough. VS Code never completes a step whose context key was already set when a window first opens a
 * walkthrough, so that each step has another event with a key that is set for a moment afterward.
 */
export async function openWalkthrough(extensionId: string): Promise<void> {
  await vscode.commands.executeCommand(
    "workbench.action.openWalkthrough",
    `${extensionId}#getStarted`,
    false,
  );
  for (const isOpen of [true, false]) setContextKey("inferenceGateway.isWalkthroughOpen", isOpen);
}
