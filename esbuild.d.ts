import type { BuildOptions } from "esbuild";

/** How the page is built; its tests build it with the same options. */
export const page: BuildOptions & { readonly entryPoints: Readonly<Record<string, string>> };
