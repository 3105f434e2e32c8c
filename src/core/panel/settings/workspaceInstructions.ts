import type { ConversationSettings } from "../../conversation/conversation.ts";
import { escapeInvisible } from "../../kernel/foreignText.ts";
import { expandHome } from "../../kernel/homeFolder.ts";
import { isRecord } from "../../kernel/json.ts";

/**
 * The user's instructions for a workspace folder, from the setting that maps folders to texts. Those for a folder above
 * it apply as well, and come first.
 * @param value The setting, which can be anything.
 * @param folder The folder as a path with slashes, or as a URI.
 * @param home The user's home folder, which `~` represents.
 */
export function instructionsFor(value: unknown, folder: string, home: string): readonly string[] {
  if (!isRecord(value)) return [];
  const wanted = comparable(folder);
  return Object.entries(value)
    .map(([name, text]) => ({ name: comparable(expandHome(name, home)), text }))
    .filter(({ name }) => name !== "" && (wanted === name || wanted.startsWith(`${name}/`)))
    .toSorted((left, right) => left.name.length - right.name.length)
    .flatMap(({ text }) =>
      typeof text === "string" && text.trim() !== "" ? [escapeInvisible(text.trim())] : [],
    );
}

/** Windows accepts both slashes, and drive letters in either case. */
function comparable(path: string): string {
  const slashes = path.trim().replaceAll("\\", "/");
  const end = slashes.length - 1;
  const folder = slashes.length > 1 && slashes.endsWith("/") ? slashes.slice(0, end) : slashes;
  return folder.replace(/^\/?([A-Za-z]):/, (_drive, letter: string) => `${letter.toLowerCase()}:`);
}

/** The settings of a new conversation, with these instructions after the system prompt of the user's preset. */
export function withInstructions(
  settings: ConversationSettings,
  instructions: readonly string[],
): ConversationSettings {
  if (instructions.length === 0) return settings;
  const { systemPrompt = "" } = settings;
  const parts = [...(systemPrompt.trim() === "" ? [] : [systemPrompt]), ...new Set(instructions)];
  return { ...settings, systemPrompt: parts.join("\n\n") };
}
