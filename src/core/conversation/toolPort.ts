import type { JsonObject } from "../kernel/json.ts";
import type { ImagePart, ToolCall } from "./completion.ts";
import type { Message } from "./conversation.ts";
import type { CallStart } from "./conversationStore.ts";

/** What a model reads in place of a tool's result. It is in English regardless of the display language. */
export const toolReplies = {
  stopped: { outcome: "stopped", text: "The user stopped this call." },
  taken: { outcome: "taken", text: "The call runs in another window." },
  declined: { outcome: "declined", text: "The user declined this call." },
  notRepeated: {
    outcome: "declined",
    text: "The call was interrupted earlier and may have run, completely or in part. The user chose not to run it again.",
  },
  withheld: {
    outcome: "declined",
    text: "The tool ran, but the user withholds its result because it contains secrets.",
  },
  interrupted: {
    outcome: "interrupted",
    text: "The call was interrupted because VS Code closed. It may have run completely, in part, or not at all.",
  },
  unrecorded: {
    outcome: "failed",
    text: "The call was not run because its start could not be recorded on disk.",
  },
  cut: {
    outcome: "failed",
    text: "This call was cut off at the token limit of the response, so it was not run. A higher limit leaves room for it.",
  },
  changed: { outcome: "failed", text: "The tool has changed since the user was asked. Call it again." },
  notAnObject: {
    outcome: "refused",
    text: "The arguments must be a JSON object. Call the tool again with one.",
  },
  skipped: (maxCalls: number) => ({
    outcome: "skipped",
    text: `This call was not run because at most ${maxCalls} calls are run per response. Call the tool again if you still need its result.`,
  }),
  unknown: (name: string) => ({
    outcome: "unknown",
    text: `There is no tool named “${name}” in this conversation.`,
  }),
  gone: (name: string) => ({
    outcome: "unknown",
    text: `The tool “${name}” isn't available: its MCP server has ended, or its extension is gone. Continue without it.`,
  }),
  notJson: (why: string) => ({
    outcome: "refused",
    text: `The arguments are not valid JSON: ${why}. Call the tool again with valid JSON.`,
  }),
  mismatched: (problems: readonly string[]) => ({
    outcome: "refused",
    text: [
      "The arguments do not match the tool's schema. Call it again with these problems fixed:",
      ...problems,
    ].join("\n"),
  }),
  failed: (why: string) => ({ outcome: "failed", text: `The tool failed: ${why}` }),
  notStarted: (why: string) => ({ outcome: "failed", text: `The tool could not be run: ${why}` }),
} as const satisfies Readonly<Record<string, ToolResult | ((...facts: never) => ToolResult)>>;

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

/** What became of a tool call. Together with its call, it is sent to the model in the next round. */
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
export interface ToolCallOrigin {
  readonly conversationId: string;
  /** The response that contains the call. */
  readonly messageId: string;
  /** From the first message to the response that contains the call. */
  readonly path: readonly Message[];
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
  run(call: ToolCall, caller: ToolCallOrigin): ToolRun;
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
