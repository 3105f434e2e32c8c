import type { CompletionMessage, CompletionRequest } from "./completion.ts";
import type { ConversationSettings } from "./conversation.ts";
import type { JsonObject } from "../kernel/json.ts";

/** What is sent for an answer: the system prompt goes first, parameters are members of the body, unset is not sent. */
export function completionRequest(
  model: string,
  messages: readonly CompletionMessage[],
  { systemPrompt, parameters, whenTooLong }: ConversationSettings = {},
  offered: JsonObject = {},
): CompletionRequest {
  const system = systemPrompt === undefined ? [] : [{ role: "system", content: systemPrompt } as const];
  const all = { ...parameters, ...offered };
  return {
    model,
    messages: [...system, ...messages],
    stream: true,
    ...(whenTooLong === undefined ? {} : { whenTooLong }),
    ...(Object.keys(all).length === 0 ? {} : { parameters: all }),
  };
}
