import { createInstance } from "./createInstance.ts";
import type { ResponsePiece } from "./responseSink.ts";
import type { ChatMessage, ChatRequest, OfferedTool } from "./chatRequest.ts";
import { lastUserText, textOf } from "./chatRequest.ts";
import { finish, say, splitTokens } from "./tokens.ts";

/** Calls tools that the request offers, and reports their results once their messages have arrived. */
export function* callTools(request: ChatRequest): Generator<ResponsePiece> {
  const results = toolResults(request);
  const tools = results.length > 0 ? [] : chooseTools(request);
  if (tools.length === 0) {
    yield* say(
      results.length > 0
        ? results.map(describeResult).join("\n")
        : "I only call tools, and this request offers none. Offer one in `tools`.",
    );
    yield finish();
    return;
  }
  for (const [index, tool] of tools.entries()) {
    // Unique within the conversation, and the same whenever the conversation is the same.
    const id = `call_${request.messages.length}_${index + 1}`;
    yield { type: "toolCall", index, id, name: tool.name, arguments: "" };
    for (const text of splitTokens(createArguments(tool, request))) {
      yield { type: "toolCall", index, arguments: text };
    }
  }
  yield finish("tool_calls");
}

/** The tool messages at the end of the conversation. */
function toolResults({ messages }: ChatRequest): readonly ChatMessage[] {
  return messages.slice(messages.findLastIndex(({ role }) => role !== "tool") + 1);
}

function describeResult(message: ChatMessage): string {
  return `The tool returned (${message.tool_call_id ?? ""}):\n\n\`\`\`\n${textOf(message).slice(0, 500)}\n\`\`\`\n`;
}

/** The tool that must be called, otherwise those that the user names, otherwise the first one. */
function chooseTools(request: ChatRequest): readonly OfferedTool[] {
  const choice = request.tool_choice;
  const tools = request.tools.map((tool) => tool.function);
  if (choice === "none") return [];
  if (typeof choice === "object") return tools.filter(({ name }) => name === choice.function.name);
  const question = lastUserText(request);
  const named = tools.filter(({ name }) => question.includes(name));
  const chosen = named.length > 0 ? named : tools.slice(0, 1);
  return request.parallel_tool_calls ? chosen : chosen.slice(0, 1);
}

/** Arguments that the tool's schema accepts. If it has no properties, the question itself is used. */
function createArguments(tool: OfferedTool, request: ChatRequest): string {
  if (tool.parameters["properties"] === undefined && tool.parameters["$ref"] === undefined) {
    return JSON.stringify({ input: lastUserText(request).slice(0, 200) });
  }
  return JSON.stringify(createInstance({ type: "object", ...tool.parameters }) ?? {});
}
