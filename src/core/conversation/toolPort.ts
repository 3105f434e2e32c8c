import type { ImagePart, ToolCall } from "./completion.ts";
import type { CallStart } from "./conversationStore.ts";
import type { JsonObject } from "../kernel/json.ts";

/** The description of a tool for the model. */
export interface ToolDefinition {
  /** As required by the service: 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/**
 * How a call ended; kept as the finish reason of the message with its result. `unknown`: the conversation has no such
 * tool; `refused`: its arguments don't match what the tool accepts; `interrupted`: VS Code exited while it ran, so it
 * may or may not have done its work; `taken`: another window runs it or has run it and keeps the result, so this
 * outcome is never stored.
 */
export type ToolOutcome =
  "done" | "failed" | "unknown" | "refused" | "skipped" | "declined" | "stopped" | "interrupted" | "taken";

export interface ToolResult {
  readonly outcome: ToolOutcome;
  /** Sent to the model: the result of the tool, or why there is none. */
  readonly text: string;
  /** What the tool returned besides text, for the user and for a model that supports images. */
  readonly images?: readonly ImagePart[];
  /** How long the tool itself ran, in milliseconds; absent if it did not run. */
  readonly tookMs?: number;
}

/** The origin of a call. */
export interface ToolCaller {
  readonly conversationId: string;
  /** The response that contains the call. */
  readonly messageId: string;
  /** Names of the tools that the conversation may use; a call to any other tool is refused. */
  readonly tools: readonly string[];
  /** Whether the call was started before and its result was lost: the user is then asked, whatever was allowed. */
  readonly mayHaveRun: boolean;
  /**
   * Must be awaited right before the tool is invoked, which is only allowed if it resolves to `started`: by then, the
   * start of the call is on disk.
   * @param mayBeUnwritten The user accepts that it isn't on disk for now.
   */
  recordStart(mayBeUnwritten?: boolean): Promise<CallStart>;
}

/** One call in progress. */
export interface ToolRun {
  /** Never rejects. The error is reported to the model. */
  readonly result: Promise<ToolResult>;
  /** Called when the user stops the call: ends the wait for a confirmation, and the tool itself. */
  stop(): void;
}

/** Port: the tools that a conversation may use. */
export interface ToolPort {
  /** The conversation's tools (`ConversationSettings.tools`) that currently exist. */
  definitions(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  /** Runs the tool, once the user has allowed it. */
  run(call: ToolCall, caller: ToolCaller): ToolRun;
}

/** The parameter that offers tools to the model (interface section 4.1, rule 3); empty if there are no tools. */
export function toolParameters(definitions: readonly ToolDefinition[]): JsonObject {
  if (definitions.length === 0) return {};
  return {
    tools: definitions.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  };
}
