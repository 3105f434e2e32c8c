/** The text as it stands in a list of VS Code, where `$(name)` would become an icon: escaped, so that it is read as it is. */
export function noIcons(text: string): string {
  return text.replaceAll(/\$\([\w-]{1,60}(?:~\w{1,20})?\)/g, String.raw`\$&`);
}
