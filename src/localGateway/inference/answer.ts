/** One thing that an answer brings, as the demo models think of it. */
export type AnswerStep =
  | { readonly type: "reasoning"; readonly text: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "toolCall"; readonly name: string; readonly arguments: string }
  /** Nothing for so long; comments keep the connection alive only where `keepAlive` says so. */
  | { readonly type: "pause"; readonly ms: number; readonly keepAlive: boolean }
  /** An error object in the middle of the stream. */
  | { readonly type: "failure"; readonly message: string }
  /** The body ends here, without a finish reason and without `[DONE]`. */
  | { readonly type: "cut" };

export interface Answer {
  readonly steps: Iterable<AnswerStep>;
  readonly finishReason: "stop" | "length" | "tool_calls";
}

/** Splits text into what we count as tokens: about four characters, spaces in front of their word. */
export function tokens(text: string): readonly string[] {
  return text.match(/\s*\S{1,6}|\s+$/gu) ?? [];
}

/** The text as one step a token. */
export function* say(text: string): Generator<AnswerStep> {
  for (const token of tokens(text)) yield { type: "text", text: token };
}

export function* think(text: string): Generator<AnswerStep> {
  for (const token of tokens(text)) yield { type: "reasoning", text: token };
}
