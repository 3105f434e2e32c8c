import { sanitizeLabel } from "../kernel/foreignText.ts";

/** VS Code truncates the text of a notification after this many UTF-16 units. */
const longestMessage = 1_000;

/** An icon at the start of one of our own texts. */
const leadingIcon = /^\$\((?:check|sync~spin|loading~spin|warning|info)\) /;

/**
 * Text for a VS Code surface that turns `[text](command:…)` into links and `$(name)` into icons: one bounded line in
 * which neither works. It stays readable; copied or read aloud, it has only an extra space.
 */
export function inertText(text: string, maxLength = longestMessage): string {
  return breakMarkup(sanitizeLabel(text, maxLength));
}

/** Text for a status bar message, which may begin with one of our own icons. */
export function inertStatus(text: string, maxLength = 200): string {
  const icon = leadingIcon.exec(text)?.[0] ?? "";
  return `${icon}${inertText(text.slice(icon.length), maxLength)}`;
}

function breakMarkup(text: string): string {
  return text.replaceAll("](", "] (").replaceAll("$(", "$ (");
}
