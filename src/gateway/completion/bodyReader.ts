import { decodeBytes, isEncoded } from "../http/decodeBody.ts";
import type { CompletionDecoder } from "./completionDecoder.ts";
import type { CompletionErrors, CompletionLimits } from "./completionErrors.ts";
import { maxPieceBytes } from "./completionErrors.ts";
import { createEventStreamReader } from "./eventStream.ts";
import type { EventStreamReader } from "./eventStream.ts";

/**
 * Collects a body that isn't an event stream and parses it at its end: JSON, JSON lines, a web page, plain text, or
 * events that are compressed or in UTF-16.
 */
function createWholeResponseReader(
  decoder: CompletionDecoder,
  errors: CompletionErrors,
  limits: CompletionLimits,
): EventStreamReader {
  const maxBytes = maxPieceBytes(limits);
  let chunks: Uint8Array[] = [];
  let length = 0;

  function text(): string {
    const all = decodeBytes(Buffer.concat(chunks));
    chunks = [];
    return all.replace(/^\ufeff/, "").trim();
  }

  return {
    push(chunk) {
      length += chunk.byteLength;
      chunks.push(chunk);
      if (length <= maxBytes) return;
      decoder.onOverflow(text());
    },
    end() {
      const whole = text();
      if (looksLikeEvents(whole) !== "events") return decoder.defer(() => readText(whole, decoder, errors));
      const events = createEventStreamReader(decoder, maxBytes);
      events.push(Buffer.from(whole));
      events.end();
    },
  };
}

function readText(text: string, decoder: CompletionDecoder, errors: CompletionErrors): void {
  if (text === "") throw errors.nothing();
  if (!/^[[{"]/.test(text)) throw errors.unreadableResponse(text);
  const whole = parse(text);
  if ("value" in whole) return decoder.readWhole(whole.value);
  const firstLine = text.slice(0, Math.max(0, text.indexOf("\n"))).trim();
  // A stream without server-sent events framing: one object per line.
  if (firstLine.startsWith("{") && "value" in parse(firstLine)) return readLines(text, decoder);
  if (!whole.isCut) throw errors.malformedPiece();
  decoder.readCut(text);
  decoder.defer(() => {
    throw errors.truncated();
  });
}

/** UTF-16 units that are processed in one step. */
const longestStep = 256 * 1024;

function readLines(text: string, decoder: CompletionDecoder, start = 0): void {
  let at = start;
  while (at < text.length && at - start < longestStep) {
    const end = text.indexOf("\n", at);
    decoder.onEvent(text.slice(at, end === -1 ? text.length : end).trim(), undefined);
    at = end === -1 ? text.length : end + 1;
  }
  if (at < text.length) decoder.defer(() => readLines(text, decoder, at));
}

/** The parser's own message is discarded because it quotes the text, which may contain secrets. */
function parse(text: string): { readonly value: unknown } | { readonly isCut: boolean } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { isCut: error instanceof Error && /unexpected end|unterminated/i.test(error.message) };
  }
}

/**
 * Reads a body according to its format, which is determined from its first bytes once there are enough of them. Both
 * methods may throw a ServiceError.
 */
export function createBodyReader(
  decoder: CompletionDecoder,
  errors: CompletionErrors,
  contentType: string,
  limits: CompletionLimits,
): EventStreamReader {
  let reader: EventStreamReader | undefined;
  let undecided: Uint8Array = new Uint8Array(0);

  function decide(chunk: Uint8Array): void {
    // Whitespace before the first event is meaningless and may be endless.
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

/** Also after a byte order mark, which is then removed as well. */
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

/** `events` is a stream of server-sent events; `whole` can only be read when it is complete. */
type BodyKind = "events" | "whole";

const jsonStarts = new Set(["{", "[", '"']);

/**
 * Determines the format of a body from its first bytes and its content type; undefined if there are too few bytes. The
 * bytes take precedence: JSON and web pages are sent with the content type of a stream, and streams with any type.
 */
function detectBodyKind(start: Uint8Array, contentType: string): BodyKind | undefined {
  if (start.length < 2) return undefined;
  if (isEncoded(start)) return "whole";
  const text = Buffer.from(start)
    .toString("latin1")
    .replace(/^\xef\xbb\xbf/, "");
  const first = text.trimStart().charAt(0);
  if (first === "") return undefined;
  if (jsonStarts.has(first) || first === "<") return "whole";
  if (/event-stream/i.test(contentType)) return "events";
  return looksLikeEvents(text.trimStart());
}

/** A field of server-sent events or a comment; undecided if the text may still become one. */
function looksLikeEvents(text: string): BodyKind | undefined {
  if (/^(?:data|event|id|retry|error)?:/.test(text) || /^data[\r\n]/.test(text)) return "events";
  const mayBecomeField = ["data", "event", "id", "retry", "error"].some((name) => name.startsWith(text));
  return mayBecomeField ? undefined : "whole";
}
