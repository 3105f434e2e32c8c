/** The accounts of this extension, as package.json declares them. */
export const accountProviderId = "inferenceGateway";

/** What a session is for. Not empty: VS Code takes its offer to sign in back by comparing this. */
export const accountScopes: readonly string[] = ["servers"];
