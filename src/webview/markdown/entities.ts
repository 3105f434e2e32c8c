import type * as namedCharacters from "./namedCharacters.ts";

let table: typeof namedCharacters | undefined;

/**
 * Whether a text can be rendered: a text with an ampersand may contain a named character such as `&nbsp;`, and their
 * table is loaded with the first one.
 */
export function canDecode(text: string): boolean {
  return table !== undefined || !text.includes("&");
}

/** Loads the table of named characters, once. */
export async function loadEntities(): Promise<void> {
  table ??= await import("./namedCharacters.ts");
}

/**
 * Replaces what markdown-it imports from the package `entities` (see `esbuild.js`). Without the
 * table, the name of the character is shown.
 */
export function decodeHTMLStrict(text: string): string {
  return table?.decodeHTMLStrict(text) ?? text;
}
