import type { CompletionEvent } from "../../core/completion.ts";
import type { CompletionChunk } from "./completionChunk.ts";
import { parseChunk } from "./completionChunk.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import { createDeltaShortcut } from "./deltaShortcut.ts";
import { createSurrogateJoiner } from "./surrogateJoiner.ts";
import { createThinkTagSplitter } from "./thinkTags.ts";
import { createToolCallNumbering } from "./toolCallPieces.ts";

/** Turns the pieces of one answer into completion events. Every method may throw a ServiceError. */
export interface CompletionDecoder {
  /** The data of a server-sent event, with the name of the event. */
  readEvent(data: string, name: string | undefined): void;
  /** Data that the end of the body cut off: counts only where it is whole. */
  readUnterminated(data: string): void;
  /** An answer that is not streamed, or an error in its place. */
  readWhole(value: unknown): void;
  /** Tells what was held back. Call it once, at the end, whatever the end is. */
  flush(): void;
  /** Whether a finish reason or `[DONE]` said that the answer is complete. */
  isComplete(): boolean;
  /** Whether `[DONE]` was read: nothing after it counts. */
  isDone(): boolean;
  finishReason(): string | null;
}

const doneMark = "[DONE]";
export function createCompletionDecoder(
  emit: (event: CompletionEvent) => void,
  errors: CompletionErrors,
): CompletionDecoder {
  let isDone = false;
  let finishReason: string | null = null;
  let hasOwnReasoning = false;
  const numberToolCall = createToolCallNumbering();
  const text = createSurrogateJoiner((joined) => emit({ type: "text", text: joined }));
  const reasoning = createSurrogateJoiner((joined) => emit({ type: "reasoning", text: joined }));
  const content = createThinkTagSplitter({ onText: text.write, onReasoning: reasoning.write });

  const shortcut = createDeltaShortcut({ onText: content.write, onReasoning: writeReasoning });

  /** A server that separates the reasoning itself means every tag in its text literally. */
  function writeReasoning(delta: string): void {
    if (!hasOwnReasoning) content.end();
    hasOwnReasoning = true;
    reasoning.write(delta);
  }

  function readChunk(chunk: CompletionChunk): void {
    if (chunk.reasoning !== undefined) writeReasoning(chunk.reasoning);
    if (chunk.text !== undefined) content.write(chunk.text);
    for (const piece of chunk.toolCalls ?? []) emit(numberToolCall(piece));
    if (chunk.usage !== undefined) emit({ type: "usage", usage: chunk.usage });
    finishReason = chunk.finishReason ?? finishReason;
    if (chunk.error !== undefined) throw errors.reported(chunk.error);
  }

  function readJson(data: string): void {
    const value = parseJson(data);
    if (value === undefined) {
      if (finishReason === null) throw errors.malformedPiece();
      return;
    }
    const chunk = parseChunk(value);
    if (chunk === undefined) return;
    readChunk(chunk);
    shortcut.learn(data, chunk);
  }

  return {
    readEvent(data, name) {
      if (isDone || (name === undefined && shortcut.read(data)) || data === "") return;
      if (name === "error") throw errors.reported(parseReported(data));
      if (isDoneMark(data, finishReason !== null)) isDone = true;
      else if (name === undefined || name === "message" || data.includes('"choices"')) readJson(data);
    },
    readUnterminated(data) {
      if (isDone || finishReason !== null) return;
      if (data.trim() === doneMark) isDone = true;
      else if (parseJson(data) !== undefined) readJson(data);
    },
    readWhole(value) {
      const chunk = parseChunk(value) ?? {};
      readChunk(chunk);
      if (chunk.hasChoice === undefined) throw errors.notAnAnswer();
      isDone = true;
    },
    flush() {
      content.end();
      text.end();
      reasoning.end();
    },
    isComplete: () => isDone || finishReason !== null,
    isDone: () => isDone,
    finishReason: () => finishReason,
  };
}

/** Blanks around the mark are forgiven after a finish reason only: alone, it has to be exact to prove anything. */
function isDoneMark(data: string, isForgiving: boolean): boolean {
  return data === doneMark || (isForgiving && data.trim() === doneMark);
}

function parseJson(data: string): unknown {
  try {
    const value: unknown = JSON.parse(data);
    return value;
  } catch {
    return undefined;
  }
}

/** The data of an event called `error`: JSON of any shape, or plain words. */
function parseReported(data: string): unknown {
  return parseJson(data) ?? data;
}
