import type { ConversationSettings } from "../conversation.ts";
import { isRecord, stringField } from "../json.ts";
import { parseJsonObject } from "./jsonMembers.ts";
import { parametersOfChat } from "./parameters.ts";

/** Reads settings of a conversation; what can't be understood counts as unset, and so does what is empty. */
export function parseSettings(value: unknown): ConversationSettings {
  if (!isRecord(value)) return {};
  const systemPrompt = stringField(value, "systemPrompt");
  const parameters = Object.entries(parseJsonObject(value["parameters"]) ?? {}).filter(
    ([name]) => !parametersOfChat.has(name),
  );
  const { tools } = value;
  const names = Array.isArray(tools) ? tools.filter((name) => typeof name === "string") : [];
  return {
    ...(systemPrompt === undefined || systemPrompt.trim() === "" ? {} : { systemPrompt }),
    ...(parameters.length === 0 ? {} : { parameters: Object.fromEntries(parameters) }),
    ...(names.length === 0 ? {} : { tools: names }),
  };
}
