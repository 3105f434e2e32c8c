/** How much of a response is read, and how long to wait for its end. */
export interface CompletionLimits {
  /** UTF-16 units of text, reasoning and tool calls. */
  readonly maxLength: number;
  /**
   * Idle milliseconds after a finish reason that end a response if its server neither sends `[DONE]` nor closes the
   * body.
   */
  readonly finishTimeoutMs: number;
}

export const defaultCompletionLimits: CompletionLimits = {
  maxLength: 8 * 1024 * 1024,
  finishTimeoutMs: 30_000,
};

/** More tool calls than this in one response are a mistake of the model, and each one slows down every later one. */
export const maxToolCalls = 256;

/** Maximum bytes of one event, or of a response that is not streamed: its text with escapes and its JSON. */
export function maxPieceBytes({ maxLength }: CompletionLimits): number {
  return maxLength * 2 + 64 * 1024;
}

/** Maximum bytes of a whole body; a stream of single tokens has about fifty times as many bytes as text. */
export function maxBodyBytes({ maxLength }: CompletionLimits): number {
  return maxLength * 64 + 1024 * 1024;
}
