import type { CompletionDecoder } from "./completionDecoder.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import { createEventStreamReader } from "./eventStream.ts";
import type { EventStreamReader } from "./eventStream.ts";
import { maxPieceBytes } from "./completionLimits.ts";
import type { CompletionLimits } from "./completionLimits.ts";
import { createWholeResponseReader } from "./wholeResponse.ts";

/** Reads a body as what it is: its first bytes decide, and wait until they can. Both methods may throw a ServiceError. */
export function createBodyReader(
  decoder: CompletionDecoder,
  errors: CompletionErrors,
  contentType: string,
  limits: CompletionLimits,
): EventStreamReader {
  let reader: EventStreamReader | undefined;
  let undecided: Uint8Array = new Uint8Array(0);

  function decide(chunk: Uint8Array): void {
    // White space before the first event means nothing, and there may be no end of it.
    const bytes = undecided.length === 0 ? skipWhiteSpace(chunk) : Buffer.concat([undecided, chunk]);
    const kind = detectBodyKind(bytes, contentType);
    undecided = kind === undefined ? skipWhiteSpace(bytes) : bytes;
    if (kind === "events") begin(createEventStreamReader(decoder, maxPieceBytes(limits)));
    else if (kind === "whole") begin();
  }

  function begin(chosen = createWholeResponseReader(decoder, errors, limits)): void {
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

/** Behind a byte order mark, too, which then is gone with it. */
function skipWhiteSpace(bytes: Uint8Array): Uint8Array {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const start = hasMark && isWhiteSpace(bytes[3]) ? 3 : 0;
  let first = start;
  while (isWhiteSpace(bytes[first])) first++;
  return first === 0 ? bytes : bytes.subarray(first);
}

function isWhiteSpace(byte: number | undefined): boolean {
  return byte === 0x20 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d);
}

/** `events` is a stream of server-sent events; `whole` can be read only when all of it is there. */
export type BodyKind = "events" | "whole";

const jsonStarts = new Set(["{", "[", '"']);

/**
 * What a body is, from its first bytes and its content type; undefined while there are too few bytes to tell.
 * The bytes count more: JSON and pages come under the type of a stream, and streams under any type.
 */
function detectBodyKind(start: Uint8Array, contentType: string): BodyKind | undefined {
  const text = Buffer.from(start)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "");
  const first = text.trimStart().charAt(0);
  if (first === "") return undefined;
  if (jsonStarts.has(first) || first === "<") return "whole";
  if (/event-stream/i.test(contentType)) return "events";
  return looksLikeEvents(text.trimStart());
}

/** A field of server-sent events or a comment; undecided while the text may still become one. */
function looksLikeEvents(text: string): BodyKind | undefined {
  if (/^(?:data|event|id|retry|error)?:/.test(text) || /^data[\r\n]/.test(text)) return "events";
  const mayBecomeField = ["data", "event", "id", "retry", "error"].some((name) => name.startsWith(text));
  return mayBecomeField ? undefined : "whole";
}
