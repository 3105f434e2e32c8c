/**
 * The text as it stands in a list of VS Code, where `$(name)` would become an icon: escaped, so that it is read as it is.
 * What is escaped already stays as it is.
 */
export function escapeCodicons(text: string): string {
  return text.replaceAll(/(?<!\\)\$\([\w-]+(?:~\w+)?\)/g, String.raw`\$&`);
}
