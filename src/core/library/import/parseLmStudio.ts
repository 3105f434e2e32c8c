import type { ContentPart, ToolCall } from "../../conversation/completion.ts";
import type { Conversation, Message } from "../../conversation/conversation.ts";
import { isRecord, numberField, stringField } from "../../kernel/json.ts";
import {
  importedMessage,
  importedTitle,
  listField,
  attachedFile,
  nothingImported,
  readDate,
} from "./imported.ts";
import type { ImportFile, Imported } from "./imported.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Whether the messages of the record have versions as LM Studio stores them. */
export function isLmStudio(record: Fields): boolean {
  const messages = listField(record, "messages").filter(isRecord);
  return messages.some(({ versions }) => Array.isArray(versions));
}

/**
 * Parses a conversation file of LM Studio. Each message has versions, and whatever comes next follows the selected one.
 */
export function parseLmStudio(record: Fields, file: ImportFile): Imported {
  const createdAt = readDate(record, "createdAt") ?? file.modifiedAt;
  const name = (file.path.split(/[\\/]/u).at(-1) ?? "").replace(/\.json$/, "").replace(/\.conversation$/, "");
  const messages: Message[] = [];
  let leftOut = 0;
  let parentId: string | undefined;
  for (const [index, value] of listField(record, "messages").entries()) {
    const versions = isRecord(value) ? listField(value, "versions") : [];
    const selected = (isRecord(value) ? numberField(value, "currentlySelected") : undefined) ?? 0;
    let next = parentId;
    for (const [at, version] of versions.entries()) {
      const id = `${name}-${index}-${at}`;
      const parsed = isRecord(version)
        ? parseVersion(version, { id, createdAt: createdAt + index, parentId, file })
        : undefined;
      leftOut += parsed?.leftOut ?? 1;
      messages.push(...(parsed?.messages ?? []));
      const last = parsed?.messages.at(-1)?.id;
      if (last !== undefined && (at === selected || next === parentId)) next = last;
    }
    if (versions.length === 0) leftOut++;
    parentId = next;
  }
  if (messages.length === 0 || parentId === undefined) return { ...nothingImported, leftOut };
  const prompt = stringField(record, "systemPrompt") ?? "";
  const systemPrompt = prompt === "" ? configuredPrompt(record) : prompt;
  const model = isRecord(record["lastUsedModel"])
    ? stringField(record["lastUsedModel"], "identifier")
    : undefined;
  const conversation: Conversation = {
    id: `lm-studio-${name}`,
    title: importedTitle(stringField(record, "name"), messages),
    createdAt,
    updatedAt:
      readDate(record, "assistantLastMessagedAt") ?? readDate(record, "userLastMessagedAt") ?? createdAt,
    messages,
    leafId: parentId,
    ...(record["pinned"] === true ? { isPinned: true } : {}),
    ...(model === undefined ? {} : { model }),
    ...(systemPrompt === "" ? {} : { settings: { systemPrompt } }),
  };
  return { conversations: [conversation], leftOut };
}

/** Where newer versions store the system prompt: among the options of the conversation. */
function configuredPrompt(record: Fields): string {
  const config = isRecord(record["perChatPredictionConfig"]) ? record["perChatPredictionConfig"] : {};
  const option = listField(config, "fields")
    .filter(isRecord)
    .find(({ key }) => key === "llm.prediction.systemPrompt");
  return option === undefined ? "" : (stringField(option, "value") ?? "");
}

interface Place {
  readonly id: string;
  readonly createdAt: number;
  readonly parentId: string | undefined;
  readonly file: ImportFile;
}

interface ParsedVersion {
  readonly messages: readonly Message[];
  readonly leftOut: number;
}

/** A version consists of a single step, or of several: reasoning, texts, and tool calls with their results. */
function parseVersion(version: Fields, { id, createdAt, parentId, file }: Place): ParsedVersion | undefined {
  const { role } = version;
  if (role !== "user" && role !== "assistant" && role !== "system") return undefined;
  const steps = version["type"] === "multiStep" ? listField(version, "steps").filter(isRecord) : [version];
  const sender = isRecord(version["senderInfo"])
    ? stringField(version["senderInfo"], "senderName")
    : undefined;
  const messages: Message[] = [];
  let [texts, reasoning, leftOut] = [[] as string[], "", 0];
  let calls: ToolCall[] = [];
  const attachments: ContentPart[] = [];
  const add = (fields: Pick<Message, "role"> & Partial<Message>): void => {
    const before = messages.at(-1)?.id ?? parentId;
    const parent = before === undefined ? {} : { parentId: before };
    messages.push(
      importedMessage({
        ...fields,
        id: messages.length === 0 ? id : `${id}-${messages.length}`,
        createdAt,
        ...parent,
      }),
    );
  };
  const flush = (): void => {
    const text = texts.join("\n\n");
    const model = role === "assistant" && sender !== undefined ? { model: sender } : {};
    if (text !== "" || reasoning !== "" || calls.length > 0 || attachments.length > 0)
      add({ role, text, reasoning, toolCalls: calls, attachments: attachments.splice(0), ...model });
    [texts, reasoning, calls] = [[], "", []];
  };
  for (const step of steps) {
    const isThinking = isRecord(step["style"]) && step["style"]["type"] === "thinking";
    for (const part of listField(step, "content").filter(isRecord)) {
      const text = stringField(part, "text") ?? "";
      switch (part["type"]) {
        case "toolCallRequest":
          calls.push(readCall(part, `${id}-call-${calls.length}`));
          break;
        case "toolCallResult":
          flush();
          add({
            role: "tool",
            text: readResult(part["content"]),
            toolCallId: callId(part) ?? lastCall(messages) ?? "",
          });
          break;
        case "file": {
          const name = stringField(part, "fileIdentifier") ?? "";
          const found = attachedFile(name, undefined, file);
          if (found.length === 0) leftOut++;
          attachments.push(...found.map((one) => (one.type === "text" ? { ...one, title: name } : one)));
          break;
        }
        default:
          if (isThinking) reasoning += text;
          else if (text !== "") texts.push(text);
      }
    }
  }
  flush();
  return { messages, leftOut };
}

function readCall(part: Fields, otherwise: string): ToolCall {
  const { parameters } = part;
  return {
    id: callId(part) ?? otherwise,
    name: stringField(part, "name") ?? "tool",
    arguments: typeof parameters === "string" ? parameters : JSON.stringify(parameters ?? {}),
  };
}

function callId(part: Fields): string | undefined {
  const id = part["toolCallRequestId"] ?? part["callId"];
  return typeof id === "string" || typeof id === "number" ? String(id) : undefined;
}

function lastCall(messages: readonly Message[]): string | undefined {
  return messages.findLast(({ toolCalls }) => toolCalls.length > 0)?.toolCalls[0]?.id;
}

function readResult(content: unknown): string {
  if (typeof content === "string") return content;
  return JSON.stringify(content ?? "");
}
