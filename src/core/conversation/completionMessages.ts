import type { CompletionMessage, ContentPart } from "./completion.ts";
import type { Message } from "./conversation.ts";

/**
 * The conversation as it is sent to the model. A response that failed before its first word is left out along with its
 * question, unless the user includes that question or is just asking it: strict servers reject two consecutive user
 * messages, and a message that was rejected once would be rejected forever. A partial response is what the user has
 * read, so it is sent to the model too, unless another attempt followed or follows now. A call that is running in another
 * window has no result yet.
 */
export function completionMessages(messages: readonly Message[]): readonly CompletionMessage[] {
  const asked = messages.findLastIndex(({ role }) => role === "user");
  const unanswered = new Set(leftOutIds(messages.slice(0, Math.max(0, asked))));
  const included = messages.filter(
    (message) => !isEmptyResponse(message) && !isRunningCall(message) && !unanswered.has(message.id),
  );
  return included
    .filter((message, index) => !isSuperseded(message, included[index + 1]))
    .map(completionMessage);
}

/** The user messages that later requests leave out: only empty responses follow, and the user has not included them. */
export function leftOutIds(path: readonly Message[]): readonly string[] {
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

function isEmptyResponse({ role, text, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && toolCalls.length === 0;
}

function isRunningCall({ role, status }: Message): boolean {
  return role === "tool" && status === "streaming";
}

function isSuperseded({ role, status }: Message, next: Message | undefined): boolean {
  return role === "assistant" && status !== "complete" && (next === undefined || next.role === "assistant");
}

function completionMessage(message: Message): CompletionMessage {
  const { role, toolCalls, toolCallId } = message;
  return {
    role,
    content: contentOf(message),
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
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

function contentOf(message: Message): string | readonly ContentPart[] {
  if (message.attachments.length === 0) return message.text;
  const text: readonly ContentPart[] = message.text === "" ? [] : [{ type: "text", text: message.text }];
  return [...text, ...message.attachments];
}
