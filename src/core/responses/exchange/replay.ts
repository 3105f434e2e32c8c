import type {
  CompletionMessage,
  CompletionRequest,
  ContentPart,
  Role,
  ToolCall,
} from "../../conversation/completion.ts";
import { isRecord, parseJson, parseJsonObject, stringField } from "../../kernel/json.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { countElided } from "./jsonText.ts";

/** A recorded body as a request that can be sent again, or why it can't. */
type Replay =
  | { readonly state: "ready"; readonly request: CompletionRequest }
  /** The body isn't kept, or not completely: images and audio are stored only while they are in memory. */
  | { readonly state: "incomplete" }
  | { readonly state: "unreadable" };

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the body of a chat completion request. Nothing in it is lost: what this reader doesn't know is passed on
 * unchanged.
 * @param baseUrl The address of the service, which alone receives what a provider expects back.
 */
export function readReplay(body: string, baseUrl: string): Replay {
  if (body === "" || countElided(body) > 0) return { state: "incomplete" };
  const value = parseJsonObject(parseJson(body));
  if (value === undefined) return { state: "unreadable" };
  const { model, messages, stream } = value;
  const parameters = omit(value, ["model", "messages", "stream", "stream_options"]);
  if (typeof model !== "string" || !Array.isArray(messages)) return { state: "unreadable" };
  const read = messages.map((message) =>
    isRecord(message) ? readMessage(message, { baseUrl, model }) : undefined,
  );
  const known = read.filter((message) => message !== undefined);
  if (known.length < messages.length) return { state: "unreadable" };
  return { state: "ready", request: { model, messages: known, stream: stream === true, parameters } };
}

const roles: Readonly<Record<string, Role>> = {
  system: "system",
  // The role of system messages is an option of the model, which is applied again.
  developer: "system",
  user: "user",
  assistant: "assistant",
  tool: "tool",
};

function readMessage(
  message: Fields,
  receiver: { readonly baseUrl: string; readonly model: string },
): CompletionMessage | undefined {
  const { role, content, name, tool_calls: calls = [] } = message;
  const known = typeof role === "string" && Object.hasOwn(roles, role) ? roles[role] : undefined;
  const parts = readContent(content);
  const toolCallId = stringField(message, "tool_call_id");
  if (known === undefined || parts === undefined || !Array.isArray(calls)) return undefined;
  const toolCalls = calls.map(readCall);
  const readable = toolCalls.filter((call) => call !== undefined);
  if (readable.length < toolCalls.length) return undefined;
  const others = omit(message, ["role", "content", "name", "tool_calls", "tool_call_id"]);
  const isExtended =
    Object.keys(others).length > 0 || readable.some(({ extra = {} }) => Object.keys(extra).length > 0);
  return {
    role: known,
    content: parts,
    ...(typeof name === "string" ? { name } : {}),
    ...(readable.length === 0 ? {} : { toolCalls: readable }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(isExtended ? { providerFields: { ...receiver, members: others } } : {}),
  };
}

/** Undefined if a part isn't one that can be sent. */
function readContent(content: unknown): string | readonly ContentPart[] | undefined {
  if (content === null || content === undefined) return "";
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return undefined;
  const parts = content.map((part: unknown) => (isRecord(part) ? readPart(part) : undefined));
  const known = parts.filter((part) => part !== undefined);
  return known.length < parts.length ? undefined : known;
}

function readPart(part: Fields): ContentPart | undefined {
  const { type, text, image_url: image, input_audio: audio } = part;
  if (type === "text" && typeof text === "string") return { type, text };
  if (type === "image_url" && isRecord(image)) {
    const [, mediaType, data] =
      /^data:(image\/[\w.+-]+);base64,([\w+/=]+)$/.exec(stringField(image, "url") ?? "") ?? [];
    return mediaType === undefined || data === undefined ? undefined : { type: "image", mediaType, data };
  }
  if (type !== "input_audio" || !isRecord(audio)) return undefined;
  const { data, format } = audio;
  if (typeof data !== "string" || (format !== "wav" && format !== "mp3")) return undefined;
  return { type: "audio", data, format };
}

function readCall(call: unknown): ToolCall | undefined {
  if (!isRecord(call) || !isRecord(call["function"])) return undefined;
  const { id } = call;
  const { name, arguments: text } = call["function"];
  if (typeof id !== "string" || typeof name !== "string" || typeof text !== "string") return undefined;
  const fields = omit(call, ["id", "type", "function"]);
  return { id, name, arguments: text, ...(Object.keys(fields).length === 0 ? {} : { extra: fields }) };
}

function omit(fields: Fields, names: readonly string[]): JsonObject {
  const others = Object.entries(fields).filter(([name]) => !names.includes(name));
  return parseJsonObject(Object.fromEntries(others)) ?? {};
}
