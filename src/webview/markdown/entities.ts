import type { decodeHTMLStrict as decode } from "entities/decode";

let table: { readonly decodeHTMLStrict: typeof decode } | undefined;

/**
 * Whether a text can be rendered: a text with an ampersand may contain a named character such as `&nbsp;`, and their
 * table is loaded with the first one.
 */
export function canDecode(text: string): boolean {
  return table !== undefined || !text.includes("&");
}

/** Loads the table of named characters, once. */
export async function loadEntities(): Promise<void> {
  table ??= await import("entities/decode");
}

/**
 * Replaces what markdown-it imports from the package `entities` (see `test/package/sharedScripts.js`). Without the
 * table, the name of the character is shown.
 */
export function decodeHTMLStrict(text: string): string {
  return table?.decodeHTMLStrict(text) ?? text;
}
