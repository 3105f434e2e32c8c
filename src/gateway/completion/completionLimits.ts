/** How much of a response is read, and how long its end is waited for. */
export interface CompletionLimits {
  /** UTF-16 units of text, reasoning and tool calls. */
  readonly maxLength: number;
  /**
   * Milliseconds of silence after a finish reason that end a response whose server neither sends `[DONE]` nor closes
   * the body.
   */
  readonly finishTimeoutMs: number;
}

export const defaultCompletionLimits: CompletionLimits = {
  maxLength: 8 * 1024 * 1024,
  finishTimeoutMs: 30_000,
};

/** More tool calls than this in one response are a model's mistake, and each costs every later one. */
export const maxToolCalls = 256;

/** Bytes that one event, or a response that is not streamed, may have: its text with escapes and its JSON. */
export function maxPieceBytes({ maxLength }: CompletionLimits): number {
  return maxLength * 2 + 64 * 1024;
}

/** Bytes of a whole body; a stream of single tokens has some fifty times as many bytes as text. */
export function maxBodyBytes({ maxLength }: CompletionLimits): number {
  return maxLength * 64 + 1024 * 1024;
}
