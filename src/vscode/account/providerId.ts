/** The accounts of this extension, as package.json declares them. */
export const accountProviderId = "inferenceGateway";

/** The scopes of a session. Not empty, because VS Code compares them to withdraw its offer to sign in. */
export const accountScopes: readonly string[] = ["servers"];
