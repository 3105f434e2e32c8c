/** The accounts of this extension, as package.json declares them. */
export const accountProviderId = "inferenceGateway";

/** The scopes of a session. Not empty, because VS Code compares them to withdraw its offer to sign in. */
export const accountScopes: readonly string[] = ["servers"];

/** A contract: VS Code finds a form from the last session by it, and package.json refers to it. */
export const profileFormViewType = "inferenceGateway.profileForm";
