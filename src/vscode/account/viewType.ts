/** A contract: VS Code finds a form from the last session by it, and package.json refers to it. */
export const profileFormViewType = "inferenceGateway.profileForm";
