export const untitled = "New Chat";

const longest = 60;

/** The first words of the first message, cut at a word. */
export function conversationTitle(firstMessage: string): string {
  const line = firstMessage.replace(/\s+/gu, " ").trim();
  if (line === "") return untitled;
  const characters = [...line];
  if (characters.length <= longest) return line;
  const cut = characters.slice(0, longest).join("");
  const lastSpace = cut.lastIndexOf(" ");
  return `${lastSpace > longest / 2 ? cut.slice(0, lastSpace) : cut}…`;
}
