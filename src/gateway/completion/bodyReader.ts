import { detectBodyKind } from "./bodyKind.ts";
import type { CompletionDecoder } from "./completionDecoder.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import type { EventStreamReader } from "./eventStream.ts";
import { createEventStreamReader } from "./eventStream.ts";
import { createWholeAnswerReader } from "./wholeAnswer.ts";

/** Reads a body as what it is: its first bytes decide, and wait until they can. Both methods may throw a ServiceError. */
export function createBodyReader(
  decoder: CompletionDecoder,
  errors: CompletionErrors,
  contentType: string,
): EventStreamReader {
  let reader: EventStreamReader | undefined;
  let undecided: Uint8Array = new Uint8Array(0);

  function decide(chunk: Uint8Array): void {
    undecided = undecided.length === 0 ? chunk : Buffer.concat([undecided, chunk]);
    const kind = detectBodyKind(undecided, contentType);
    if (kind !== undefined) begin(kind === "events" ? createEventStreamReader(decoder) : undefined);
  }

  function begin(chosen = createWholeAnswerReader(decoder, errors)): void {
    reader = chosen;
    reader.push(undecided);
  }

  return {
    push(chunk) {
      if (reader === undefined) decide(chunk);
      else reader.push(chunk);
    },
    end() {
      if (reader === undefined) begin();
      reader?.end();
    },
  };
}
