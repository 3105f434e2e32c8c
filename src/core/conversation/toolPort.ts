import type { ImagePart, ToolCall } from "./completion.ts";
import type { CallStart } from "./conversationStore.ts";
import type { JsonObject } from "../kernel/json.ts";

/** A tool as it is described to the model. */
export interface ToolDefinition {
  /** As the service takes it: 1 to 64 letters, digits, `_` or `-`. */
  readonly name: string;
  readonly description: string;
  /** JSON Schema of the arguments. */
  readonly parameters: JsonObject;
}

/**
 * How a call ended; kept as the finish reason of the message that answers it. `unknown`: the conversation has no such
 * tool; `refused`: its arguments are not what the tool takes; `interrupted`: VS Code ended while it ran, so that it may
 * or may not have done its work; `taken`: another window runs it or has run it, and keeps the result, so that this one
 * is never kept.
 */
export type ToolOutcome =
  "done" | "failed" | "unknown" | "refused" | "skipped" | "declined" | "stopped" | "interrupted" | "taken";

export interface ToolResult {
  readonly outcome: ToolOutcome;
  /** What is sent to the model: the result of the tool, or why there is none. */
  readonly text: string;
  /** What the tool gave beside text: for the user, and for a model that sees. */
  readonly images?: readonly ImagePart[];
  /** For how long the tool itself ran, in milliseconds; absent if it did not. */
  readonly tookMs?: number;
}

/** Who asks for a call. */
export interface ToolCaller {
  readonly conversationId: string;
  /** The response that the call stands in. */
  readonly messageId: string;
  /** Names of the tools that the conversation may use: a model that asks for another one is refused. */
  readonly tools: readonly string[];
  /** Whether the call was started before and its result is lost: the user is asked, whatever is allowed. */
  readonly mayHaveRun: boolean;
  /**
   * To be awaited right before the tool is invoked, which must only be done where it resolves with `started`: it is on
   * disk then that the call has started.
   * @param mayBeUnwritten The user accepts that it isn't on disk for now.
   */
  recordStart(mayBeUnwritten?: boolean): Promise<CallStart>;
}

/** One call under way. */
export interface ToolRun {
  /** Never rejects. The error is reported to the model. */
  readonly result: Promise<ToolResult>;
  /** The user's stop: ends the wait for a confirmation, and the tool itself. */
  stop(): void;
}

/** Port: the tools that a conversation may use. */
export interface ToolPort {
  /** Those of the conversation's tools (`ConversationSettings.tools`) that exist now. */
  definitions(names: readonly string[]): Promise<readonly ToolDefinition[]>;
  /** Runs the tool, once the user has allowed it. */
  run(call: ToolCall, caller: ToolCaller): ToolRun;
}

/** The parameter that offers tools to the model (interface section 4.1, rule 3); nothing if there are none. */
export function toolParameters(definitions: readonly ToolDefinition[]): JsonObject {
  if (definitions.length === 0) return {};
  return {
    tools: definitions.map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description, parameters },
    })),
  };
}
