import type { CompletionMessage, ContentPart, ToolCall } from "./completion.ts";
import type { Message } from "./conversation.ts";
import { isJson } from "./json.ts";

/**
 * The conversation as the model is told it. An answer that failed before its first word says nothing and is left
 * out. A partial one is what the user has read: the model is told it too, unless another attempt followed or follows
 * now. A question whose answer is missing stays, so that the model sees what was asked. Tool calls go with their
 * results or not at all: servers refuse one without the other. A call that runs, in another window, has none yet.
 */
export function completionMessages(messages: readonly Message[]): readonly CompletionMessage[] {
  const told = withoutOpenCalls(messages).filter((message) => !isEmptyAnswer(message));
  return told.filter((message, index) => !isSuperseded(message, told[index + 1])).map(completionMessage);
}

function isEmptyAnswer({ role, text, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && toolCalls.length === 0;
}

function isSuperseded({ role, status }: Message, next: Message | undefined): boolean {
  return role === "assistant" && status !== "complete" && (next === undefined || next.role === "assistant");
}

function withoutOpenCalls(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, index): readonly Message[] => {
    if (message.role === "tool") return isAnsweringCaller(messages, index) ? [message] : [];
    if (message.toolCalls.length === 0 || areCallsAnswered(messages, index)) return [message];
    return [{ ...message, toolCalls: [] }];
  });
}

/** Whether the results follow for every call of the message at `index`. */
function areCallsAnswered(messages: readonly Message[], index: number): boolean {
  const answered = new Set<string | undefined>();
  for (let at = index + 1; messages[at]?.role === "tool"; at++)
    if (messages[at]?.status !== "streaming") answered.add(messages[at]?.toolCallId);
  return messages[index]?.toolCalls.every(({ id }) => answered.has(id)) ?? false;
}

function isAnsweringCaller(messages: readonly Message[], index: number): boolean {
  const caller = messages.findLastIndex(({ role }, at) => at < index && role !== "tool");
  const calls = messages[caller]?.toolCalls ?? [];
  return calls.some(({ id }) => id === messages[index]?.toolCallId) && areCallsAnswered(messages, caller);
}

function completionMessage(message: Message): CompletionMessage {
  const { role, toolCalls, toolCallId } = message;
  return {
    role,
    content: contentOf(message),
    ...(toolCalls.length === 0 ? {} : { toolCalls: toolCalls.map(toldCall) }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...returnedFields(message),
  };
}

/**
 * A thinking model goes on from what it thought before it called a tool; some servers refuse a call that comes back
 * without that.
 */
function returnedFields({ toolCalls, providerFields, reasoning }: Message): Partial<CompletionMessage> {
  if (toolCalls.length === 0 || providerFields === undefined) return {};
  return { providerFields, ...(reasoning === "" ? {} : { reasoning }) };
}

/** Servers read the arguments again and refuse all that follows where they are no JSON; the result tells of them. */
function toldCall(call: ToolCall): ToolCall {
  return isJson(call.arguments) ? call : { ...call, arguments: "{}" };
}

function contentOf(message: Message): string | readonly ContentPart[] {
  if (message.attachments.length === 0) return message.text;
  const text: readonly ContentPart[] = message.text === "" ? [] : [{ type: "text", text: message.text }];
  return [...text, ...message.attachments];
}
