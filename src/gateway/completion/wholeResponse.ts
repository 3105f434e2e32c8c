import type { CompletionDecoder } from "./completionDecoder.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import type { EventStreamReader } from "./eventStream.ts";
import { maxPieceBytes } from "./completionLimits.ts";
import type { CompletionLimits } from "./completionLimits.ts";

/** Collects a body that isn't an event stream and parses it at its end: JSON, JSON lines, a web page or plain text. */
export function createWholeResponseReader(
  decoder: CompletionDecoder,
  errors: CompletionErrors,
  limits: CompletionLimits,
): EventStreamReader {
  const maxBytes = maxPieceBytes(limits);
  let chunks: Uint8Array[] = [];
  let length = 0;

  function text(): string {
    const all = Buffer.concat(chunks).toString("utf8");
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
      decoder.defer(() => readText(whole, decoder, errors));
    },
  };
}

function readText(text: string, decoder: CompletionDecoder, errors: CompletionErrors): void {
  if (text === "") throw errors.truncated();
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
