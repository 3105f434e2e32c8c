import type { CompletionMessage, ContentPart } from "./completion.ts";
import type { Message } from "./conversation.ts";

/**
 * The conversation as the model is told it. An answer that failed before its first word says nothing and is left
 * out; a partial one is what the user has read, so the model is told it too. A question whose answer is missing
 * stays, so that the model sees what was asked.
 */
export function completionMessages(messages: readonly Message[]): readonly CompletionMessage[] {
  return messages.flatMap((message): readonly CompletionMessage[] => {
    if (message.role === "assistant" && message.text === "" && message.toolCalls.length === 0) return [];
    return [
      {
        role: message.role,
        content: contentOf(message),
        ...(message.toolCalls.length === 0 ? {} : { toolCalls: message.toolCalls }),
      },
    ];
  });
}

function contentOf(message: Message): string | readonly ContentPart[] {
  if (message.attachments.length === 0) return message.text;
  const text: readonly ContentPart[] = message.text === "" ? [] : [{ type: "text", text: message.text }];
  return [...text, ...message.attachments];
}
