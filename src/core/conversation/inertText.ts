import { sanitizeLabel } from "../kernel/foreignText.ts";

/** VS Code cuts the text of a notification after as many UTF-16 units. */
const longestMessage = 1_000;

/** An icon that a text of our own begins with. */
const leadingIcon = /^\$\((?:check|sync~spin|loading~spin|warning|info)\) /;

/**
 * Text for a surface of VS Code that makes links of `[text](command:…)` and icons of `$(name)`: one bounded line in which
 * neither works. It stays readable, and what is copied or read aloud has only a space more.
 */
export function inertText(text: string, maxLength = longestMessage): string {
  return breakMarkup(sanitizeLabel(text, maxLength));
}

/** The same for a status bar message, which may begin with one of our own icons. */
export function inertStatus(text: string, maxLength = 200): string {
  const icon = leadingIcon.exec(text)?.[0] ?? "";
  return `${icon}${inertText(text.slice(icon.length), maxLength)}`;
}

function breakMarkup(text: string): string {
  return text.replaceAll("](", "] (").replaceAll("$(", "$ (");
}
