/** A contract: VS Code finds a table from the last session by it, and package.json refers to it. */
export const tableViewType = "inferenceGateway.serverTable";

/** The same for the page of costs. */
export const costsViewType = "inferenceGateway.costs";
