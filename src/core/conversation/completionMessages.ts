import type { CompletionMessage, ContentPart, ToolCall } from "./completion.ts";
import type { Message } from "./conversation.ts";
import { isJson } from "../kernel/json.ts";

/**
 * The conversation as it is sent to the model. A response that failed before its first word is left out along with its
 * question, unless the user includes that question or is just asking it: strict servers reject two consecutive user
 * messages, and a message that was rejected once would be rejected forever. A partial response is what the user has
 * read, so it is sent to the model too, unless another attempt followed or follows now. Tool calls are sent with their
 * results, in the order of the calls, or not at all: servers reject one without the other. A call that is running in
 * another window has no result yet. Messages damaged on disk are left out unless the user includes them or is just
 * sending them.
 */
export function completionMessages(all: readonly Message[]): readonly CompletionMessage[] {
  const last = all.at(-1);
  const messages = all.filter(
    (message) => !isLeftOutAsDamaged(message) || (message === last && message.role === "user"),
  );
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const unanswered = new Set(unansweredIds(messages.slice(0, Math.max(0, asked))));
  const included = inCallOrder(withoutOpenCalls(messages)).filter(
    (message) => !isEmptyResponse(message) && !unanswered.has(message.id),
  );
  return included
    .filter((message, index) => !isSuperseded(message, included[index + 1]))
    .map(completionMessage);
}

/**
 * The messages that later requests leave out: user messages followed only by empty responses, and damaged messages,
 * unless the user has included them.
 */
export function leftOutIds(path: readonly Message[]): readonly string[] {
  const damaged = path.filter(isLeftOutAsDamaged).map(({ id }) => id);
  return damaged.length === 0 ? unansweredIds(path) : [...new Set([...unansweredIds(path), ...damaged])];
}

function isLeftOutAsDamaged({ isDamaged, isIncluded }: Message): boolean {
  return isDamaged === true && isIncluded !== true;
}

/** The user messages that are followed only by empty responses and that the user has not included. */
function unansweredIds(path: readonly Message[]): readonly string[] {
  const ids: string[] = [];
  let asked: Message | undefined;
  let hasFailed = false;
  const close = (): void => {
    if (asked !== undefined && asked.isIncluded !== true && hasFailed) ids.push(asked.id);
    hasFailed = false;
  };
  for (const message of path) {
    if (message.role === "user") {
      close();
      asked = message;
    } else if (isFailure(message)) hasFailed = true;
    else asked = undefined;
  }
  close();
  return ids;
}

function isFailure(message: Message): boolean {
  return message.status !== "streaming" && isEmptyResponse(message);
}

/** The results after each message with calls, in the order of the calls: they may have arrived in a different one. */
function inCallOrder(messages: readonly Message[]): readonly Message[] {
  const ordered: Message[] = [];
  let calls: readonly ToolCall[] = [];
  let results: Message[] = [];
  const place = ({ toolCallId }: Message): number => calls.findIndex(({ id }) => id === toolCallId);
  const close = (): void => {
    ordered.push(...results.toSorted((left, right) => place(left) - place(right)));
    results = [];
  };
  for (const message of messages) {
    if (message.role === "tool") results.push(message);
    else {
      close();
      calls = message.toolCalls;
      ordered.push(message);
    }
  }
  close();
  return ordered;
}

function isEmptyResponse({ role, text, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && toolCalls.length === 0;
}

function isSuperseded({ role, status }: Message, next: Message | undefined): boolean {
  return role === "assistant" && status !== "complete" && (next === undefined || next.role === "assistant");
}

function withoutOpenCalls(messages: readonly Message[]): readonly Message[] {
  return messages.flatMap((message, index): readonly Message[] => {
    if (message.role === "tool") return isAnsweringCaller(messages, index) ? [message] : [];
    if (message.toolCalls.length === 0 || haveAllResults(messages, index)) return [message];
    return [{ ...message, toolCalls: [] }];
  });
}

/** Whether every call of the message at `index` is followed by its result. */
function haveAllResults(messages: readonly Message[], index: number): boolean {
  const answered = new Set<string | undefined>();
  for (let at = index + 1; messages[at]?.role === "tool"; at++)
    if (messages[at]?.status !== "streaming") answered.add(messages[at]?.toolCallId);
  return messages[index]?.toolCalls.every(({ id }) => answered.has(id)) ?? false;
}

function isAnsweringCaller(messages: readonly Message[], index: number): boolean {
  const caller = messages.findLastIndex(({ role }, at) => at < index && role !== "tool");
  const calls = messages[caller]?.toolCalls ?? [];
  return calls.some(({ id }) => id === messages[index]?.toolCallId) && haveAllResults(messages, caller);
}

function completionMessage(message: Message): CompletionMessage {
  const { role, toolCalls, toolCallId } = message;
  return {
    role,
    content: contentOf(message),
    ...(toolCalls.length === 0 ? {} : { toolCalls: toolCalls.map(callToSend) }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...returnedFields(message),
  };
}

/**
 * A reasoning model continues from its reasoning before a tool call; some servers reject a call that is sent back
 * without it.
 */
function returnedFields({ toolCalls, providerFields, reasoning }: Message): Partial<CompletionMessage> {
  if (toolCalls.length === 0 || providerFields === undefined) return {};
  return { providerFields, ...(reasoning === "" ? {} : { reasoning }) };
}

/**
 * Servers parse the arguments again and reject everything that follows if they aren't JSON. The result describes the
 * original ones.
 */
function callToSend(call: ToolCall): ToolCall {
  return isJson(call.arguments) ? call : { ...call, arguments: "{}" };
}

function contentOf(message: Message): string | readonly ContentPart[] {
  if (message.attachments.length === 0) return message.text;
  const text: readonly ContentPart[] = message.text === "" ? [] : [{ type: "text", text: message.text }];
  return [...text, ...message.attachments];
}
