import { isRecord } from "../../kernel/json.ts";

/** The arguments of a call as the tool takes them, or what the model is told instead. */
export type ToolInput =
  | { readonly state: "input"; readonly input: Readonly<Record<string, unknown>>; readonly json: string }
  | { readonly state: "refused"; readonly message: string };

/** Reads the JSON text that a model wrote; no arguments at all are an empty object. The model reads `message`. */
export function parseToolInput(text: string): ToolInput {
  const json = text.trim() === "" ? "{}" : text;
  try {
    const input: unknown = JSON.parse(json);
    if (isRecord(input)) return { state: "input", input, json };
    return {
      state: "refused",
      message: "The arguments must be a JSON object. Call the tool again with one.",
    };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      state: "refused",
      message: `The arguments are not valid JSON: ${why}. Call the tool again with valid JSON.`,
    };
  }
}
