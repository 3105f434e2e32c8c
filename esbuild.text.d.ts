import type { Plugin } from "esbuild";

export const textImports: Plugin;
