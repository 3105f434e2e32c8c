/**
 * A contract: VS Code finds panels of the last session by these types, and package.json lists them as activation
 * events. The second one is for panels that had to be rebuilt, because pages of a different type get a process of their
 * own.
 */
export const chatViewTypes = ["inferenceGateway.chat", "inferenceGateway.chat.rebuilt"] as const;

/** The view for users who prefer the chat in the side bar. The same contract applies. */
export const chatViewId = "inferenceGateway.chatView";
