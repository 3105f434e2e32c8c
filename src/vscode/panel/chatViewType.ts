/**
 * A contract: VS Code finds panels of the last session by them, and package.json names them as activation events. The
 * second is that of panels that had to be built anew: pages of another type have a process of their own.
 */
export const chatViewTypes = ["inferenceGateway.chat", "inferenceGateway.chat.rebuilt"] as const;

/** The view for those who want their chat in the side bar; the same contract. */
export const chatViewId = "inferenceGateway.chatView";
