import type { CompletionMessage, CompletionRequest, ContentPart, ToolCall } from "../../core/completion.ts";
import type { JsonObject, JsonValue } from "../../core/json.ts";

/** The body of a chat completion request as JSON text (interface section 2.1). */
export function createRequestBody(request: CompletionRequest, withUsage: boolean): string {
  const body: JsonObject = {
    ...(request.stream && withUsage ? { stream_options: { include_usage: true } } : {}),
    ...request.parameters,
    model: request.model,
    messages: request.messages.map(messageJson),
    ...(request.maxTokens === undefined ? {} : { max_tokens: request.maxTokens }),
    stream: request.stream,
  };
  return JSON.stringify(request.without === undefined ? body : leaveOut(body, request.without));
}

/** What the server needs stays, whatever it says. */
const needed: ReadonlySet<string> = new Set(["model", "messages", "stream"]);

function leaveOut(body: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    Object.entries(body).filter(([name]) => needed.has(name) || !names.includes(name)),
  );
}

function messageJson(message: CompletionMessage): JsonObject {
  const { role, content, name, toolCalls, toolCallId } = message;
  return {
    role,
    content: typeof content === "string" ? content : content.map(partJson),
    ...(name === undefined ? {} : { name }),
    ...(toolCalls === undefined || toolCalls.length === 0 ? {} : { tool_calls: toolCalls.map(toolCallJson) }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
  };
}

/** Interface section 2.2 names the parts and leaves their layout open; this is the usual one. */
function partJson(part: ContentPart): JsonValue {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "image":
      return { type: "image_url", image_url: { url: `data:${part.mediaType};base64,${part.data}` } };
    case "audio":
      return { type: "input_audio", input_audio: { data: part.data, format: part.format } };
  }
}

function toolCallJson(call: ToolCall): JsonValue {
  return { id: call.id, type: "function", function: { name: call.name, arguments: call.arguments } };
}
