import type { ContentPart } from "./completion.ts";
import type { Message } from "./conversation.ts";
import type { ToolResult } from "./toolPort.ts";
import { toolReplies } from "./toolReplies.ts";

/** The identity of a message and its position in the tree. */
export interface MessageOrigin {
  readonly id: string;
  /** Absent for a first message. */
  readonly parentId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Creates a user message. */
export function newQuestion(
  origin: MessageOrigin,
  text: string,
  attachments: readonly ContentPart[],
): Message {
  return { ...emptyMessage("user", origin), status: "complete", text, attachments };
}

/** Creates a response without content, along with the settings of its request. */
export function newResponse(origin: MessageOrigin, fields: Pick<Message, "model" | "settings">): Message {
  return { ...emptyMessage("assistant", origin), ...fields };
}

/** Creates the message of a running tool call, whose result follows later. */
export function newRunningTool(origin: MessageOrigin, toolCallId: string): Message {
  return { ...emptyMessage("tool", origin), toolCallId };
}

/** A tool call that was running when VS Code exited. How far it got is unknown. */
export function interruptedTool(running: Message): Message {
  return {
    ...running,
    status: "failed",
    finishReason: interrupted.outcome,
    text: interrupted.text,
  };
}

const { interrupted } = toolReplies;

/** Whether the message belongs to a call that may or may not have run, because VS Code exited meanwhile. */
export function isInterrupted(message: Message | undefined): boolean {
  return message?.role === "tool" && message.finishReason === interrupted.outcome;
}

/** The result that a tool returned for the call. */
export function newToolMessage(origin: MessageOrigin, toolCallId: string, result: ToolResult): Message {
  const { outcome, text, images = [], tookMs } = result;
  return {
    ...emptyMessage("tool", origin),
    status: "complete",
    text,
    attachments: images,
    toolCallId,
    finishReason: outcome,
    ...(tookMs === undefined ? {} : { timing: { totalMs: tookMs } }),
  };
}

function emptyMessage(role: Message["role"], { id, parentId, createdAt }: MessageOrigin): Message {
  return {
    id,
    ...(parentId === undefined ? {} : { parentId }),
    role,
    status: "streaming",
    createdAt,
    text: "",
    attachments: [],
    reasoning: "",
    toolCalls: [],
  };
}
