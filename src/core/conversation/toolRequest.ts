import type { JsonObject } from "../kernel/json.ts";
import type { ToolDefinition } from "./toolPort.ts";

/** The parameter that offers tools to the model (interface section 4.1, rule 3); nothing where there are none. */
export function toolParameters(definitions: readonly ToolDefinition[]): JsonObject {
  if (definitions.length === 0) return {};
  return {
    tools: definitions.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  };
}
