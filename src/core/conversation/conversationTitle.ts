import { t } from "@vscode/l10n";
/** The stored title; users see `shownTitle`. */
export const untitled = "New Chat";

/** The title, translated if the conversation has none of its own. */
export function shownTitle(title: string): string {
  return title === untitled ? t("New Chat") : title;
}

/** In user-perceived characters. */
const longest = 60;

/** More than any title needs: the rest of a long message is not read. In UTF-16 units. */
const longestStart = 2_000;

/** The first words of the first message, truncated at a word boundary. */
export function conversationTitle(firstMessage: string): string {
  const line = firstMessage.trimStart().slice(0, longestStart).replace(/\s+/gu, " ").trimEnd();
  if (line === "") return untitled;
  const characters = Array.from(new Intl.Segmenter().segment(line), ({ segment }) => segment);
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, longest).join("");
  const lastSpace = cut.lastIndexOf(" ");
  return `${lastSpace > longest / 2 ? cut.slice(0, lastSpace) : cut}…`;
}
