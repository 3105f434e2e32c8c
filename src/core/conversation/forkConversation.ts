import { t } from "@vscode/l10n";
import type { ContentPart } from "./completion.ts";
import type { Conversation, Message } from "./conversation.ts";
import type { Draft } from "./conversationStore.ts";
import { untitled } from "./conversationTitle.ts";
import { toolReplies } from "./toolPort.ts";
import type { ToolResult } from "./toolPort.ts";

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

/** A response that was streaming when VS Code exited. */
export function cutResponse(message: Message): Message {
  const words = t(
    "VS Code exited while this response was streaming. The partial response was kept. Retry to get a complete one.",
  );
  return { ...message, status: "failed", error: { reason: "truncated", message: words } };
}

const { interrupted } = toolReplies;

/** Whether the message belongs to a call that may or may not have run, because VS Code exited in the meantime. */
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

interface ForkSource extends Pick<Conversation, "title" | "model" | "settings"> {
  /** From the first message to the last one that is copied. */
  readonly path: readonly Message[];
}

/**
 * What a fork at the end of this path takes along: a user message goes into the composer, to be edited and sent again;
 * everything else stays a message.
 */
export function splitFork(path: readonly Message[]): {
  readonly path: readonly Message[];
  readonly draft?: Draft;
} {
  const last = path.at(-1);
  if (last?.role !== "user") return { path };
  return { path: path.slice(0, -1), draft: { text: last.text, attachments: last.attachments } };
}

/** The title followed by the next free number: "Title (2)", then "Title (3)", whichever of them is forked. */
export function forkTitle(title: string, titles: readonly string[]): string {
  if (title === untitled) return title;
  const { base } = readNumber(title);
  const numbers = titles
    .map(readNumber)
    .filter((other) => other.base === base)
    .map(({ number }) => number);
  return `${base} (${numbers.reduce((left, right) => Math.max(left, right), 1) + 1})`;
}

/** A title without a number counts as the first. */
function readNumber(title: string): { readonly base: string; readonly number: number } {
  const start = title.endsWith(")") ? title.lastIndexOf(" (") : -1;
  const digits = title.slice(start + 2, -1);
  const isNumbered = start > 0 && /^[1-9]\d{0,5}$/.test(digits);
  return isNumbered ? { base: title.slice(0, start), number: Number(digits) } : { base: title, number: 1 };
}

/**
 * A separate conversation that begins with the path. Messages that are still growing are copied as they are, as
 * stopped. A running call stays with the original: the copy records only that it may have run.
 */
export function forkConversation(
  { path, title, model, settings }: ForkSource,
  { createId, now }: { readonly createId: () => string; readonly now: number },
): Conversation {
  let parentId: string | undefined;
  const messages = path.map((message): Message => {
    const id = createId();
    const copy: Message = {
      ...settled(message),
      id,
      ...(parentId === undefined ? {} : { parentId }),
    };
    parentId = id;
    return copy;
  });
  return {
    id: createId(),
    title,
    createdAt: now,
    updatedAt: now,
    messages,
    ...(model === undefined ? {} : { model }),
    ...(settings === undefined ? {} : { settings }),
  };
}

function settled(message: Message): Message {
  if (message.status !== "streaming") return message;
  return message.role === "tool" ? interruptedTool(message) : { ...message, status: "stopped" };
}
