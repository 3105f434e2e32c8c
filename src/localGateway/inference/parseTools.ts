import { isRecord } from "../../core/kernel/json.ts";
import type { OfferedTool, ResponseFormat, ToolChoice } from "./chatRequest.ts";
import { badRequest, optional, parseArray, requireRecord, requireString } from "./requestFields.ts";

/** The functions that a request offers. The interface names function calling without showing it: this is the usual way. */
export function parseTools(value: unknown): readonly OfferedTool[] {
  const tools = optional(value, "tools", parseArray) ?? [];
  return tools.map((entry, index) => {
    const param = `tools[${index}]`;
    const tool = requireRecord(entry, param);
    if (tool["type"] !== "function") throw badRequest(`${param}.type`, "function is expected");
    const offered = requireRecord(tool["function"], `${param}.function`);
    const name = requireString(offered["name"], `${param}.function.name`);
    if (!/^[\w-]{1,64}$/.test(name)) {
      throw badRequest(`${param}.function.name`, "1 to 64 letters, digits, _ or - are expected");
    }
    const parameters = optional(offered["parameters"], `${param}.function.parameters`, requireRecord);
    return { name, parameters: parameters ?? { type: "object", properties: {} } };
  });
}

export function parseToolChoice(value: unknown, tools: readonly OfferedTool[]): ToolChoice {
  if (value === undefined || value === null) return "auto";
  if (tools.length === 0 && value !== "none") {
    throw badRequest("tool_choice", "it is allowed only where tools are offered");
  }
  if (value === "auto" || value === "none" || value === "required") return value;
  const chosen = isRecord(value) && isRecord(value["function"]) ? value["function"]["name"] : undefined;
  const tool = tools.find(({ name }) => name === chosen);
  if (tool === undefined) throw badRequest("tool_choice", "no such tool is offered");
  return { name: tool.name };
}

/** How the answer must look. The interface names structured outputs without showing them. */
export function parseResponseFormat(value: unknown): ResponseFormat {
  const format = optional(value, "response_format", requireRecord);
  switch (format?.["type"]) {
    case undefined:
    case "text":
      return { type: "text" };
    case "json_object":
      return { type: "json_object" };
    case "json_schema": {
      const named = requireRecord(format?.["json_schema"], "response_format.json_schema");
      requireString(named["name"], "response_format.json_schema.name");
      const schema = requireRecord(named["schema"], "response_format.json_schema.schema");
      return { type: "json_schema", schema };
    }
    default:
      throw badRequest("response_format.type", "one of text, json_object, json_schema is expected");
  }
}
