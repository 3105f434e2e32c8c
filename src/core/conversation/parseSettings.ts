import type { ConversationSettings } from "./conversation.ts";
import { parseConversationSettings } from "./parseConversationSettings.ts";
import { parametersOfChat } from "./parameters.ts";

/** Parses settings that a user wrote: anything that no request may contain, and anything empty, counts as unset. */
export function parseSettings(value: unknown): ConversationSettings {
  const { systemPrompt, parameters = {}, tools, whenTooLong } = parseConversationSettings(value) ?? {};
  const sendable = Object.entries(parameters).filter(([name]) => !parametersOfChat.has(name));
  return {
    ...(systemPrompt === undefined || systemPrompt.trim() === "" ? {} : { systemPrompt }),
    ...(sendable.length === 0 ? {} : { parameters: Object.fromEntries(sendable) }),
    ...(tools === undefined || tools.length === 0 ? {} : { tools }),
    ...(whenTooLong === undefined ? {} : { whenTooLong }),
  };
}
