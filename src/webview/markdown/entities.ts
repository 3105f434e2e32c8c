import type { decodeHTMLStrict as decode } from "entities/decode";

let table: { readonly decodeHTMLStrict: typeof decode } | undefined;

/**
 * Whether a text can be rendered: a text with an ampersand may contain a named character such as `&nbsp;`, and their
 * table is loaded with the first one.
 */
export function canDecode(text: string): boolean {
  return table !== undefined || !text.includes("&");
}

export async function loadEntities(): Promise<void> {
  table ??= await import("entities/decode");
}

/**
 * What markdown-it imports from the package `entities`, which the build replaces with this file (see `esbuild.js`).
 * Without the table, the name is shown.
 */
export function decodeHTMLStrict(text: string): string {
  return table?.decodeHTMLStrict(text) ?? text;
}
