/**
 * A contract: VS Code finds panels of the last session by these types, and package.json names them as activation
 * events. The second one is for panels that had to be rebuilt: pages of another type have a process of their own.
 */
export const chatViewTypes = ["inferenceGateway.chat", "inferenceGateway.chat.rebuilt"] as const;

/** The view for those who want their chat in the side bar; the same contract. */
export const chatViewId = "inferenceGateway.chatView";
