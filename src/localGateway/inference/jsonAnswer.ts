import { inferenceError } from "../http/reply.ts";
import { createInstance } from "../schema/createInstance.ts";
import { seededRandom } from "../kernel/seededRandom.ts";
import type { ChatRequest } from "./chatRequest.ts";
import { lastUserText } from "./chatRequest.ts";
import type { DemoState } from "./demoState.ts";

/** JSON that obeys `response_format`; made up, and says so where there is room for it. */
export function jsonText(request: ChatRequest, state: DemoState): string {
  const { responseFormat } = request;
  if (responseFormat.type !== "json_schema") {
    return JSON.stringify({ demo: true, question: lastUserText(request).slice(0, 200) }, undefined, 2);
  }
  const value = createInstance(responseFormat.schema, seededRandom(state.seed));
  if (value !== undefined) return JSON.stringify(value, undefined, 2);
  const message = "The demo model found no value that satisfies the schema of “response_format”.";
  throw inferenceError(400, message, "invalid_request_error", "unsupported_schema", "response_format");
}
