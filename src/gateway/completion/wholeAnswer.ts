import type { CompletionDecoder } from "./completionDecoder.ts";
import type { CompletionErrors } from "./completionErrors.ts";
import type { EventStreamReader } from "./eventStream.ts";

const maxBytes = 64 * 1024 * 1024;

/** Collects a body that is no event stream and reads it at its end: JSON, JSON lines, a web page, plain words. */
export function createWholeAnswerReader(
  decoder: CompletionDecoder,
  errors: CompletionErrors,
): EventStreamReader {
  const chunks: Uint8Array[] = [];
  let length = 0;
  return {
    push(chunk) {
      length += chunk.byteLength;
      if (length > maxBytes) throw errors.tooLong();
      chunks.push(chunk);
    },
    end() {
      const text = Buffer.concat(chunks)
        .toString("utf8")
        .replace(/^\ufeff/, "")
        .trim();
      readText(text, decoder, errors);
    },
  };
}

function readText(text: string, decoder: CompletionDecoder, errors: CompletionErrors): void {
  if (text === "") throw errors.truncated();
  if (!/^[[{"]/.test(text)) throw errors.notAnAnswer(text);
  const whole = parse(text);
  if ("value" in whole) decoder.readWhole(whole.value);
  else if (!isJsonLines(text)) throw whole.isCut ? errors.truncated() : errors.malformedPiece();
  else for (const line of text.split("\n")) decoder.onEvent(line.trim(), undefined);
}

/** A stream without the frame of server-sent events: an object a line. */
function isJsonLines(text: string): boolean {
  const firstLine = /^(\{.*\})\s*\n/.exec(text)?.[1];
  return firstLine !== undefined && "value" in parse(firstLine);
}

/** The parser's own message is not kept: it quotes the text, which may hold secrets. */
function parse(text: string): { readonly value: unknown } | { readonly isCut: boolean } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { isCut: error instanceof Error && /unexpected end|unterminated/i.test(error.message) };
  }
}
