/** A contract: VS Code finds panels of the last session by it, and package.json names it as activation event. */
export const chatViewType = "inferenceGateway.chat";
