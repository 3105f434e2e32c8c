import type { ChatMessage, ChatRole, ChatToolCall } from "./chatRequest.ts";
import { chatRoles } from "./chatRequest.ts";
import { parseContent } from "./parseContent.ts";
import { badRequest, optional, parseArray, requireRecord, requireString } from "./requestFields.ts";
import type { JsonRecord } from "./requestFields.ts";

/** The conversation of a request (interface section 2.2), with each tool message answering a call before it. */
export function parseMessages(value: unknown): readonly ChatMessage[] {
  if (value === undefined) throw badRequest("messages", "it is required", "missing_required_parameter");
  const messages = parseArray(value, "messages").map(parseMessage);
  if (messages.length === 0) throw badRequest("messages", "at least one message is expected", "empty_array");
  checkToolMessages(messages);
  return messages;
}

function parseMessage(value: unknown, index: number): ChatMessage {
  const param = `messages[${index}]`;
  const record = requireRecord(value, param);
  const role = parseRole(record["role"], `${param}.role`);
  const name = optional(record["name"], `${param}.name`, requireString);
  const toolCalls = role === "assistant" ? parseToolCalls(record, param) : [];
  const toolCallId =
    role === "tool" ? requireString(record["tool_call_id"], `${param}.tool_call_id`) : undefined;
  return {
    role,
    parts: parseContent(record["content"], `${param}.content`, toolCalls.length > 0),
    toolCalls,
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

function parseRole(value: unknown, param: string): ChatRole {
  const role = chatRoles.find((known) => known === value);
  if (role === undefined) throw badRequest(param, `one of ${chatRoles.join(", ")} is expected`);
  return role;
}

function parseToolCalls(record: JsonRecord, param: string): readonly ChatToolCall[] {
  const calls = optional(record["tool_calls"], `${param}.tool_calls`, parseArray) ?? [];
  return calls.map((value, index) => {
    const place = `${param}.tool_calls[${index}]`;
    const call = requireRecord(value, place);
    const called = requireRecord(call["function"], `${place}.function`);
    return {
      id: requireString(call["id"], `${place}.id`),
      name: requireString(called["name"], `${place}.function.name`),
      arguments: requireString(called["arguments"], `${place}.function.arguments`),
    };
  });
}

function checkToolMessages(messages: readonly ChatMessage[]): void {
  const asked = new Set<string>();
  for (const [index, { toolCalls, toolCallId }] of messages.entries()) {
    for (const { id } of toolCalls) asked.add(id);
    if (toolCallId !== undefined && !asked.has(toolCallId)) {
      const param = `messages[${index}].tool_call_id`;
      throw badRequest(param, "no assistant message before it has a tool call of this id");
    }
  }
}
