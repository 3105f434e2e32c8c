/** A contract: VS Code finds a table of the last session by it, and package.json names it. */
export const tableViewType = "inferenceGateway.serverTable";
