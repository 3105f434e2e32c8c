import type { ContentPart } from "./completion.ts";
import type { Message } from "./conversation.ts";
import type { ToolResult } from "./toolPort.ts";
import { toolReplies } from "./toolReplies.ts";

/** Which message it is, and where it stands in the tree. */
export interface MessageOrigin {
  readonly id: string;
  /** Absent for a first message. */
  readonly parentId?: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** What the user says. */
export function newQuestion(
  origin: MessageOrigin,
  text: string,
  attachments: readonly ContentPart[],
): Message {
  return { ...emptyMessage("user", origin), status: "complete", text, attachments };
}

/** A response of which nothing has come yet, with what it is asked with. */
export function newResponse(origin: MessageOrigin, fields: Pick<Message, "model" | "settings">): Message {
  return { ...emptyMessage("assistant", origin), ...fields };
}

/** A call of a tool that runs: its result comes later. */
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

/** Whether the message stands for a call that may or may not have run, because VS Code ended meanwhile. */
export function isInterrupted(message: Message | undefined): boolean {
  return message?.role === "tool" && message.finishReason === interrupted.outcome;
}

/** What a tool has given for the call. */
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
