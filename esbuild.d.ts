import type { BuildOptions } from "esbuild";

/** How the pages are built; their tests build them with the same options. */
export declare const pages: readonly BuildOptions[];

/** How the scripts are built that the pages share with the host. */
export declare const shared: BuildOptions;

/** The options for a page that starts with the script `entry`. */
export declare function createPage(name: string, entry: string): BuildOptions;

/** How the process for MCP clients is built. */
export declare const mcpServer: BuildOptions;
