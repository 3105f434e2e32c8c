import type { BuildOptions } from "esbuild";

/** How the page is built; its tests build it with the same options. */
export const page: BuildOptions & { readonly entryPoints: Readonly<Record<string, string>> };

/** The file that a production build writes: the packages that are in its bundles. */
export declare const bundledPackages: string;
