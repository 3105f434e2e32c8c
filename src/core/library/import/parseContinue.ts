import type { ContentPart, ToolCall } from "../../conversation/completion.ts";
import type { Message } from "../../conversation/conversation.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
import { dataUrlImage, chainMessages, importedMessage, importedTitle, nothingImported } from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";

/** Parses a session file of Continue. It contains no times, so everything gets the time of the file. */
export function parseContinue(session: Readonly<Record<string, unknown>>, file: ImportFile): Imported {
  const items: readonly unknown[] = Array.isArray(session["history"]) ? session["history"] : [];
  const id = stringField(session, "sessionId");
  if (id === undefined || id === "") return { ...nothingImported, leftOut: 1 };
  let reasoning = "";
  let leftOut = 0;
  const messages = items.flatMap((item, index): readonly Message[] => {
    const message = isRecord(item) ? item["message"] : undefined;
    if (isRecord(message) && message["role"] === "thinking") {
      reasoning = readText(message["content"]);
      return [];
    }
    const parsed = isRecord(item) ? parseItem(item, `continue-${id}-${index}`, file.modifiedAt) : undefined;
    if (parsed === undefined) leftOut++;
    if (parsed?.role !== "assistant") return parsed === undefined ? [] : [parsed];
    const thought = parsed.reasoning === "" ? reasoning : parsed.reasoning;
    reasoning = "";
    return [{ ...parsed, reasoning: thought }];
  });
  if (messages.length === 0) return { ...nothingImported, leftOut };
  const title = importedTitle(stringField(session, "title"), messages);
  const times = { createdAt: file.modifiedAt, updatedAt: file.modifiedAt };
  const conversation = { id: `continue-${id}`, title, ...times, messages: chainMessages(messages) };
  return { conversations: [conversation], leftOut };
}

function parseItem(
  item: Readonly<Record<string, unknown>>,
  id: string,
  createdAt: number,
): Message | undefined {
  const { message, contextItems, reasoning } = item;
  if (!isRecord(message)) return undefined;
  const { role, content } = message;
  if (role !== "user" && role !== "assistant" && role !== "tool" && role !== "system") return undefined;
  const toolCallId = stringField(message, "toolCallId");
  return importedMessage({
    ...{ id, role, createdAt },
    text: readText(content),
    reasoning: isRecord(reasoning) ? (stringField(reasoning, "text") ?? "") : "",
    attachments: [...readContext(contextItems), ...readImages(content)],
    toolCalls: readToolCalls(message["toolCalls"]),
    ...(role === "tool" && toolCallId !== undefined ? { toolCallId } : {}),
  });
}

function readText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content
    .flatMap((part: unknown) => (isRecord(part) ? (stringField(part, "text") ?? []) : []))
    .join("\n\n");
}

function readImages(content: unknown): readonly ContentPart[] {
  if (!Array.isArray(content)) return [];
  return content.flatMap((part: unknown) => {
    const image = isRecord(part) ? part["imageUrl"] : undefined;
    return dataUrlImage(isRecord(image) ? image["url"] : undefined);
  });
}

/** Files and other context that the user attached to the message. */
function readContext(items: unknown): readonly ContentPart[] {
  if (!Array.isArray(items)) return [];
  return items.flatMap((item: unknown): readonly ContentPart[] => {
    if (!isRecord(item)) return [];
    const [text, title] = [stringField(item, "content"), stringField(item, "name")];
    return text === undefined || text === ""
      ? []
      : [{ type: "text", text, ...(title === undefined ? {} : { title }) }];
  });
}

function readToolCalls(calls: unknown): readonly ToolCall[] {
  if (!Array.isArray(calls)) return [];
  return calls.flatMap((call: unknown): readonly ToolCall[] => {
    const target = isRecord(call) ? call["function"] : undefined;
    if (!isRecord(call) || !isRecord(target)) return [];
    const [id, name] = [stringField(call, "id"), stringField(target, "name")];
    if (id === undefined || name === undefined) return [];
    return [{ id, name, arguments: stringField(target, "arguments") ?? "{}" }];
  });
}
