import type { ConversationSettings } from "./conversation.ts";
import { isRecord, parseJsonObject, stringField } from "../kernel/json.ts";
import { parseTooLongPolicy } from "./tooLong.ts";

/** Parses the settings of a conversation as far as they are readable; undefined if there are none. */
export function parseConversationSettings(value: unknown): ConversationSettings | undefined {
  if (!isRecord(value)) return undefined;
  const systemPrompt = stringField(value, "systemPrompt");
  const parameters = parseJsonObject(value["parameters"]);
  const whenTooLong = parseTooLongPolicy(value["whenTooLong"]);
  const tools = parseNames(value["tools"]);
  return {
    ...(systemPrompt === undefined ? {} : { systemPrompt }),
    ...(parameters === undefined ? {} : { parameters }),
    ...(tools === undefined ? {} : { tools }),
    ...(whenTooLong === undefined ? {} : { whenTooLong }),
  };
}

function parseNames(value: unknown): readonly string[] | undefined {
  return Array.isArray(value)
    ? value.filter((name: unknown): name is string => typeof name === "string")
    : undefined;
}
