/** Where a response goes while it is made: into a stream of events, or into one JSON reply. */
export interface ResponseSink {
  write(piece: ResponsePiece): void;
  /** A sign of life while the next token takes long. */
  keepAlive(): void;
  /** Whether enough is pending for a `flush` before the next piece. */
  readonly isFull: boolean;
  /** Hands over what is pending; resolves when there is room for more, rejects when the client is gone. */
  flush(): Promise<void>;
  /** Ends the reply. */
  end(): void;
}
/** What every chunk of a completion repeats. */
export interface ReplyHead {
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  readonly model: string;
}
/** One increment of a response as a demo model makes it. Text, reasoning and tool-call pieces count as a token each. */
export type ResponsePiece =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "reasoning"; readonly text: string }
  | {
      readonly type: "toolCall";
      readonly index: number;
      /** With the first piece of a call only. */
      readonly id?: string;
      readonly name?: string;
      /** Fragment of JSON text. */
      readonly arguments: string;
    }
  /** A comment line of the stream, such as servers send to keep a connection alive. */
  | { readonly type: "comment"; readonly text: string }
  /** Nothing at all for this long, not even a comment. */
  | { readonly type: "silence"; readonly ms: number }
  | { readonly type: "finish"; readonly reason: FinishReason }
  /** An error that the server reports after the response has begun. */
  | { readonly type: "error"; readonly code: string; readonly message: string }
  /** The response just stops: the body ends as if it were whole, or the connection breaks. */
  | { readonly type: "cut"; readonly how: "end" | "reset" };

export type FinishReason = "stop" | "length" | "tool_calls";

export function isToken(piece: ResponsePiece): boolean {
  return piece.type === "text" || piece.type === "reasoning" || piece.type === "toolCall";
}
