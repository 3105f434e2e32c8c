import type { Conversation, Message } from "../../conversation/conversation.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import { parseDetailsValue, parseContentParts } from "../../conversation/messageDetails.ts";
import { interruptedTool } from "../../conversation/forkConversation.ts";
import { parseConversationSettings, settingsField } from "../../conversation/conversation.ts";
import { parseTags } from "../../conversation/conversationTags.ts";
import type { Imported } from "./imported.ts";
import { importedMessage, importedTitle, joinImported, listField, readTime } from "./imported.ts";

/** In UTF-16 units; a list shows all of it. */
const longestTitle = 1_000;
/** In UTF-16 units. */
const longestWorkspace = 4_000;

/** Parses a JSON export of this version or a newer one, as far as it is readable. */
export function parseOwnExport(file: Readonly<Record<string, unknown>>): Imported {
  return joinImported(listField(file, "conversations").map(parseConversation));
}

function parseConversation(value: unknown): Imported {
  const id = isRecord(value) ? stringField(value, "id") : undefined;
  if (!isRecord(value) || id === undefined || id === "" || !Array.isArray(value["messages"]))
    return { conversations: [], leftOut: 1 };
  const records: readonly unknown[] = value["messages"];
  const known = new Set<string>();
  const messages = records.flatMap((record) => parseMessage(record, known));
  const createdAt = readTime(value, "createdAt") ?? messages[0]?.createdAt ?? 0;
  const [model, leafId] = [stringField(value, "model"), stringField(value, "leafId")];
  const workspace = stringField(value, "workspace");
  const settings = parseConversationSettings(value["settings"]) ?? {};
  const source = value["titleSource"];
  const tags = parseTags(value["tags"]);
  const conversation: Conversation = {
    id,
    title: ownTitle(value["title"]) ?? importedTitle(undefined, messages),
    createdAt,
    updatedAt: readTime(value, "updatedAt") ?? createdAt,
    ...systemAsText({ id, createdAt, settings }, messages),
    ...(value["isPinned"] === true ? { isPinned: true } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(source === "user" || source === "model" ? { titleSource: source } : {}),
    ...(workspace === undefined || workspace.length > longestWorkspace ? {} : { workspace }),
    ...(model === undefined ? {} : { model }),
    ...(leafId === undefined ? {} : { leafId }),
  };
  return { conversations: [conversation], leftOut: records.length - messages.length };
}

/** The title as the user wrote it, which may be longer than generated titles. */
function ownTitle(title: unknown): string | undefined {
  return typeof title === "string" && title.trim() !== "" ? title.slice(0, longestTitle) : undefined;
}

/** @param known The IDs so far, because a parent comes before its children. */
function parseMessage(value: unknown, known: Set<string>): readonly Message[] {
  if (!isRecord(value)) return [];
  const { role, status, parentId } = value;
  const id = stringField(value, "id");
  if (id === undefined || id === "" || known.has(id)) return [];
  if (role !== "user" && role !== "assistant" && role !== "system" && role !== "tool") return [];
  const parent = typeof parentId === "string" && !known.has(parentId) ? [...known].at(-1) : parentId;
  known.add(id);
  const message = importedMessage({
    ...parseDetailsValue(value),
    id,
    role,
    // A response that was in progress during the export no longer is.
    status:
      status === "streaming" || status === "stopped"
        ? "stopped"
        : status === "failed"
          ? "failed"
          : "complete",
    createdAt: readTime(value, "createdAt") ?? 0,
    text: stringField(value, "text") ?? "",
    reasoning: stringField(value, "reasoning") ?? "",
    attachments: parseContentParts(value["attachments"]),
    ...(typeof parent === "string" ? { parentId: parent } : {}),
  });
  return [status === "streaming" && role === "tool" ? interruptedTool(message) : message];
}

/** The settings without the system prompt, which becomes a message that is only shown: it gets no response. */
function systemAsText(
  { id, createdAt, settings = {} }: Pick<Conversation, "id" | "createdAt" | "settings">,
  messages: readonly Message[],
): Pick<Conversation, "settings" | "messages"> {
  const { systemPrompt: text = "", ...others } = settings;
  if (text.trim() === "") return { ...settingsField(settings), messages };
  const system = importedMessage({ id: `${id}-system`, role: "system", createdAt, text });
  const following = messages.map((message) => ({ parentId: system.id, ...message }));
  return { ...settingsField(others), messages: [system, ...following] };
}
